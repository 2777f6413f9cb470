import type { QueryConfig, QueryArrayConfig, QueryArrayResult, QueryResult, QueryResultRow } from 'pg';

/** What the storage functions need of a `pg` client or pool. */
export interface Queryable {
  query<Row extends QueryResultRow>(query: string | QueryConfig): Promise<QueryResult<Row>>;
  query<Row extends unknown[]>(query: QueryArrayConfig): Promise<QueryArrayResult<Row>>;
}
