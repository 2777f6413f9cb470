export { unfoldingPdf } from './hostile-pdf';
export { pdfOf } from './pdf-files';
