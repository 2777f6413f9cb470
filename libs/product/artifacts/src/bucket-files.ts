/** Files in a bucket, by their paths below a prefix. Every method throws Unavailable. */
export interface BucketFiles {
  /** Null where there is none. */
  read(this: void, path: string): Promise<Uint8Array | null>;
  write(this: void, path: string, bytes: Uint8Array): Promise<void>;
  /** As far as the bucket lets this service remove anything. */
  remove(this: void, path: string): Promise<void>;
  close(this: void): void;
}
