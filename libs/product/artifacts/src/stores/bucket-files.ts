/** Files in a bucket, by their paths below a prefix. Every method throws Unavailable. */
export interface BucketFiles {
  /** Null if there is none. */
  read(this: void, path: string): Promise<Uint8Array | null>;
  /** Whether there is a file; false also if the bucket does not say. */
  has(this: void, path: string): Promise<boolean>;
  write(this: void, path: string, bytes: Uint8Array): Promise<void>;
  /** Removes the file if the bucket allows this service to remove anything. */
  remove(this: void, path: string): Promise<void>;
  close(this: void): void;
}
