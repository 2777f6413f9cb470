import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { notFound, ok, refuse } from '@app/kernel';
import { FindPartnerKey, newPartnerKey } from '@app/partners';
import { findKey, listKeys, mintKey, revokeKey, showKeyUse } from './keys.contract';
import { FindKeyDto, MintKeyDto, ShowKeyUseDto } from './keys.schema';
import type { KeyUse, MintedPartnerKey, PartnerKey, PartnerKeyPage } from './keys.schema';
import { ListKeys, ListKeysHandler } from './list-keys';
import { makeChange } from '../changes/make-change';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import { ShowKeyUse, ShowKeyUseHandler } from './show-key-use';

@Controller()
export class OperatorsKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** The log contains the hash of the key; the key itself exists only in this answer. */
  @Serves(mintKey)
  async mint(
    @Operator() operator: Operator,
    @Body() { label, feed = false, reason }: MintKeyDto,
  ): Promise<MintedPartnerKey> {
    const { keyId, key, keyHash } = newPartnerKey();
    const change = { operation: 'keys.mint', target: keyId, parameters: { label, keyHash, feed }, reason } as const;
    const { at } = await makeChange(this.commands, operator, change);
    return { keyId, key, label, feed, createdAt: at };
  }

  @Serves(listKeys)
  async list(@Operator() operator: Operator, @Query() query: PageQuery): Promise<PartnerKeyPage> {
    return answer(await this.queries.execute(new ListKeys(operator, query)));
  }

  @Serves(findKey)
  async find(@Query() { keySha256 }: FindKeyDto): Promise<PartnerKey> {
    const key = await this.queries.execute(new FindPartnerKey(keySha256));
    return answer(key === null ? refuse(notFound) : ok(key));
  }

  @Serves(showKeyUse)
  async used(
    @Operator() operator: Operator,
    @Param('keyId') keyId: string,
    @Query() { cursor }: ShowKeyUseDto,
  ): Promise<KeyUse> {
    return answer(await this.queries.execute(new ShowKeyUse(operator, keyId, cursor)));
  }

  @Serves(revokeKey)
  async revoke(
    @Operator() operator: Operator,
    @Param('keyId') keyId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'keys.revoke', target: keyId, reason });
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsKeysHandlers = [ListKeysHandler, ShowKeyUseHandler];
