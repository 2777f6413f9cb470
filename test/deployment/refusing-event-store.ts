import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { Metadata, Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js';
import { debianProgram } from '@app/testing/programs';

/** A server that refuses every call, as EventStoreDB 23.10 refuses a wrong password (16) or a user without rights (7). */
export async function startRefusingEventStore(
  code: status,
  credentials = ServerCredentials.createInsecure(),
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const metadata = new Metadata();
  if (code === status.PERMISSION_DENIED) metadata.set('exception', 'access-denied');
  const server = new Server();
  const refuse = (call: { emit(name: 'error', error: Partial<ServiceError>): unknown }): void => {
    call.emit('error', { code, details: 'Access Denied', metadata });
  };
  const unused = (_call: unknown, answer: (error: Partial<ServiceError>) => void): void => answer({ code });
  const handlers = { read: refuse, append: unused, batchAppend: refuse, delete: unused, tombstone: unused };
  server.addService(StreamsService, handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, stop: async () => server.forceShutdown() };
}

/** A certificate for localhost that no authority has signed; its files stay in the folder. */
export async function selfSigned(folder: string): Promise<ServerCredentials> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', certificate];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync(await debianProgram('openssl'), [...kind, ...files, ...names], { stdio: 'ignore' });
  return ServerCredentials.createSsl(null, [
    { private_key: await readFile(key), cert_chain: await readFile(certificate) },
  ]);
}
