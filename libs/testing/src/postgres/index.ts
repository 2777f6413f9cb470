export { createTestDatabase, type Template, TEST_POSTGRES_URL, type TestDatabase } from './postgres';
