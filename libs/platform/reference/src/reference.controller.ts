import { Controller, Param, Req, Res } from '@nestjs/common';
import { ProblemException, Serves } from '@app/http';
import { notFound } from '@app/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReferenceSite } from './reference-site';
import { assetFields, pageFields } from './browser-policy';
import { readAsset, readEventsReference, readGuide, readReference } from './reference.contract';

const assetAgeSeconds = 31_536_000;

/** `GET /docs` and its parts, without credentials (docs/decisions/conventions.md, "HTTP"). */
@Controller()
export class ReferenceController {
  constructor(private readonly site: ReferenceSite) {}

  @Serves(readReference)
  async reference(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { host } = request.headers;
    const elsewhere = this.site.ownAddress(host);
    if (elsewhere !== null) return void (await reply.redirect(elsewhere, 307));
    await sendPage(reply, await this.site.referencePage(host, request.raw.socket.localAddress));
  }

  @Serves(readEventsReference)
  async events(@Res() reply: FastifyReply): Promise<void> {
    await sendPage(reply, this.site.eventsPage());
  }

  @Serves(readGuide)
  async guide(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const page = this.site.guidePage(name);
    if (page === null) throw new ProblemException(notFound);
    await sendPage(reply, page);
  }

  @Serves(readAsset)
  async asset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const asset = await this.site.assets.find(name);
    if (asset === null) throw new ProblemException(notFound);
    await reply
      .header('content-type', asset.type)
      .header('cache-control', `public, max-age=${assetAgeSeconds}, immutable`)
      .headers(assetFields)
      .send(asset.bytes);
  }
}

/** Renders pages for each request, because they may contain the sandbox's credentials. */
async function sendPage(reply: FastifyReply, page: string): Promise<void> {
  await reply.header('content-type', 'text/html; charset=utf-8').headers(pageFields).send(page);
}
