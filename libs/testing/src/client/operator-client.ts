import { requestJson, type Answer } from './deployment-client';

/** The parts of a deployment that calls of its operator API need. */
interface Operated {
  readonly baseUrls: readonly string[];
  sandbox<Body>(method: string, path: string, body?: object): Promise<Body>;
}

/** An operator, whose token has some scopes, calling one replica. */
export class OperatorClient {
  constructor(
    readonly baseUrl: string,
    readonly token: string,
  ) {}

  /** @param path below `/operator/v1` */
  async get<Body = Record<string, unknown>>(path: string): Promise<Answer<Body>> {
    return this.request<Body>('GET', path);
  }

  async post<Body = Record<string, unknown>>(path: string, body: object): Promise<Answer<Body>> {
    return this.request<Body>('POST', path, body);
  }

  async request<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const headers = { authorization: `Bearer ${this.token}` };
    return requestJson<Body>(method, `${this.baseUrl}/operator/v1${path}`, body, headers);
  }
}

/** Returns an operator with a token of the sandbox's issuer. @param replica index of the api to call */
export async function operatorOf(
  deployment: Operated,
  scopes: readonly string[],
  { subject = 'ada', replica = 0 }: { readonly subject?: string; readonly replica?: number } = {},
): Promise<OperatorClient> {
  const asked = { subject, scopes };
  const { accessToken } = await deployment.sandbox<{ accessToken: string }>('POST', 'operator-tokens', asked);
  return new OperatorClient(deployment.baseUrls[replica] ?? '', accessToken);
}
