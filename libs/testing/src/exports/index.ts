export { askExport, exportedFiles, linesOf, type ExportedFiles } from './exports';
export { zipFiles } from './zip-files';
