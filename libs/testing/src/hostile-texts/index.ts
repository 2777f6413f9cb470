export { hostileTexts } from './hostile-texts';
