import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { Operation, ProblemException } from '@app/http';
import { notFound } from '@app/kernel';
import { text } from '@app/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReferenceSite } from './reference-site';

/**
 * No script but the site's own files, no connection but to the service itself. The renderer sets styles of its own, which is all
 * that must be allowed inline.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** Fields of every page and of every asset, besides those of every answer. */
const pageFields = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const assetFields = { 'cross-origin-resource-policy': 'same-origin' };
const assetAgeSeconds = 31_536_000;

const described = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, text({ description: 'For browsers', examples: [value] })]),
  );

const html = (summary: string) =>
  ({
    account: 'not required',
    body: 'bytes',
    summary,
    answer: { mediaType: 'text/html', description: 'A page for people' },
    answerHeaders: described(pageFields),
  }) as const;

/** `GET /docs` and what it is made of, open to everybody (docs/decisions/conventions.md, "HTTP"). */
@Controller('docs')
export class ReferenceController {
  constructor(private readonly site: ReferenceSite) {}

  @Get()
  @Operation('service.docs', {
    ...html('The reference, rendered'),
    redirects: 'In a sandbox, from `localhost` to the base URL: requests that the page sends pass from there only',
  })
  async reference(@Query() _query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { host } = request.headers;
    const elsewhere = this.site.ownAddress(host);
    if (elsewhere !== null) return void (await reply.redirect(elsewhere, 307));
    await sendPage(reply, await this.site.referencePage(host, request.raw.socket.localAddress));
  }

  @Get('events')
  @Operation('service.docsEvents', html("The journal's events, rendered"))
  async events(@Query() _query: unknown, @Res() reply: FastifyReply): Promise<void> {
    await sendPage(reply, this.site.eventsPage());
  }

  @Get('guides/:name')
  @Operation('service.docsGuide', html('A guide'))
  async guide(@Param('name') name: string, @Query() _query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const page = this.site.guidePage(name);
    if (page === null) throw new ProblemException(notFound);
    await sendPage(reply, page);
  }

  @Get('assets/:name')
  @Operation('service.docsAsset', {
    ...{ account: 'not required', body: 'bytes', summary: 'What the pages are made of' },
    answer: { mediaType: 'text/javascript', description: 'A script, a style or an image', binary: true },
    answerHeaders: described(assetFields),
  })
  async asset(@Param('name') name: string, @Query() _query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const asset = await this.site.assets.find(name);
    if (asset === null) throw new ProblemException(notFound);
    await reply
      .header('content-type', asset.type)
      .header('cache-control', `public, max-age=${assetAgeSeconds}, immutable`)
      .headers(assetFields)
      .send(asset.bytes);
  }
}

/** Pages are made anew for each request, since they may hold the sandbox's credentials. */
async function sendPage(reply: FastifyReply, page: string): Promise<void> {
  await reply.header('content-type', 'text/html; charset=utf-8').headers(pageFields).send(page);
}
