import type { Readable } from 'node:stream';
import { Body, Controller, Header, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Operator, Serves } from '@app/http';
import type { UserId } from '@app/kernel';
import { ChangeUser, ChangeUserHandler } from './change-user';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import { MakeExport, MakeExportHandler } from './make-export';
import { SearchUsers, SearchUsersHandler } from './search-users';
import type { Erasure, ErasureCertificate } from './erasure.schema';
import { ShowCertificate, ShowCertificateHandler, ShowErasure, ShowErasureHandler } from './show-erasure';
import { ShowUser, ShowUserHandler } from './show-user';
import * as contracts from './users.contract';
import { SearchUsersDto, SetCapsDto, type AccountPage, type UserOverview } from './users.schema';

@Controller()
export class OperatorsUsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contracts.searchUsers)
  async search(@Operator() operator: Operator, @Query() query: SearchUsersDto): Promise<AccountPage> {
    return answer(await this.queries.execute(new SearchUsers(operator, query)));
  }

  @Serves(contracts.showUser)
  async show(@Operator() operator: Operator, @Param('userId') userId: UserId): Promise<UserOverview> {
    return answer(await this.queries.execute(new ShowUser(operator, userId)));
  }

  @Serves(contracts.disableUser)
  async disable(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.disable', reason }));
  }

  @Serves(contracts.enableUser)
  async enable(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.enable', reason }));
  }

  @Serves(contracts.freezeUser)
  async freeze(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.freeze', reason }));
  }

  @Serves(contracts.unfreezeUser)
  async unfreeze(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.unfreeze', reason }));
  }

  @Serves(contracts.setUserCaps)
  async setCaps(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() body: SetCapsDto,
  ): Promise<MadeChange> {
    const { reason, ...caps } = body;
    return this.change(new ChangeUser(operator, userId, { operation: 'users.setCaps', parameters: caps, reason }));
  }

  @Serves(contracts.disableWallet)
  async disableWallet(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.disableWallet', reason }));
  }

  @Serves(contracts.enableWallet)
  async enableWallet(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.enableWallet', reason }));
  }

  @Serves(contracts.eraseUser)
  async erase(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.change(new ChangeUser(operator, userId, { operation: 'users.erase', reason }));
  }

  @Serves(contracts.showErasure)
  async erasure(@Operator() operator: Operator, @Param('userId') userId: UserId): Promise<Erasure> {
    return answer(await this.queries.execute(new ShowErasure(operator, userId)));
  }

  @Serves(contracts.showCertificate)
  async certificate(@Operator() operator: Operator, @Param('userId') userId: UserId): Promise<ErasureCertificate> {
    return answer(await this.queries.execute(new ShowCertificate(operator, userId)));
  }

  @Serves(contracts.exportUser)
  @Header('content-type', 'application/zip')
  async export(
    @Operator() operator: Operator,
    @Param('userId') userId: UserId,
    @Body() { reason }: ChangeReason,
  ): Promise<Readable> {
    return answer(await this.queries.execute(new MakeExport(operator, { userId, reason })));
  }

  private async change(change: ChangeUser): Promise<MadeChange> {
    return answer(await this.commands.execute(change));
  }
}

/** Handlers of the commands and queries that the controller executes. */
export const operatorsUsersHandlers = [
  ChangeUserHandler,
  MakeExportHandler,
  SearchUsersHandler,
  ShowCertificateHandler,
  ShowErasureHandler,
  ShowUserHandler,
];
