/** `PARLEY_SECRET_KEY` of every test deployment, so that a test can open what a deployment has sealed. */
export const testSecretKey = 'kq7pTtR5sLfEWq2uYw5oXOJZ9uB0z6nG1Xy8cXh3m4k=';
