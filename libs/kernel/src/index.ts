export const k: number = 1;
