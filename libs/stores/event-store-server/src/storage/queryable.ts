import type { QueryConfig, QueryArrayConfig, QueryArrayResult, QueryResult, QueryResultRow } from 'pg';

/** The methods of a `pg` client or pool that the storage functions need. */
export interface Queryable {
  query<Row extends QueryResultRow>(query: string | QueryConfig): Promise<QueryResult<Row>>;
  query<Row extends unknown[]>(query: QueryArrayConfig): Promise<QueryArrayResult<Row>>;
}
