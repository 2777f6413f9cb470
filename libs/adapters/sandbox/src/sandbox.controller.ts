import { Body, Controller, UseGuards } from '@nestjs/common';
import { answer, Serves } from '@app/http';
import { asId, invalid, refuse } from '@app/kernel';
import { ClockMoves, ClockReading } from './clock/clock-moves';
import { Issuer, MintedToken } from './issuer/issuer';
import { LedgerWallets } from './ledger/ledger-wallets';
import { LoopbackOnly } from './loopback.guard';
import { ProviderFaults } from './faults/provider-faults';
import { ClockMove, FaultChange, NewOperatorToken, NewToken, Faults } from './sandbox.dto';
import { SandboxFaults } from './faults/sandbox-faults';
import { mintUserToken, mintOperatorToken, readClock, moveClock, readFaults, setFaults } from './sandbox.contract';

const tokenLifeSeconds = 3_600;

/** The sandbox's calls (docs/decisions/sandbox.md). */
@Controller()
@UseGuards(LoopbackOnly)
export class SandboxController {
  constructor(
    private readonly issuer: Issuer,
    private readonly clock: ClockMoves,
    private readonly providerFaults: ProviderFaults,
    private readonly modelFaults: SandboxFaults,
    private readonly wallets: LedgerWallets,
  ) {}

  @Serves(mintUserToken)
  async token(@Body() { subject, expiresInSeconds }: NewToken): Promise<MintedToken> {
    return this.issuer.userToken(subject, expiresInSeconds ?? tokenLifeSeconds);
  }

  @Serves(mintOperatorToken)
  async operatorToken(@Body() { subject, scopes }: NewOperatorToken): Promise<MintedToken> {
    return this.issuer.operatorToken(subject, scopes, tokenLifeSeconds);
  }

  @Serves(readClock)
  readClock(): ClockReading {
    return this.clock.read();
  }

  @Serves(moveClock)
  async moveClock(@Body() { advanceSeconds }: ClockMove): Promise<ClockReading> {
    return this.clock.advance(advanceSeconds);
  }

  @Serves(readFaults)
  async readFaults(): Promise<Faults> {
    return { provider: await this.providerFaults.current(), model: this.modelFaults.current() };
  }

  @Serves(setFaults)
  async setFaults(@Body() { provider, model }: FaultChange): Promise<Faults> {
    const { rejectSessionOf, ...change } = provider ?? {};
    if (rejectSessionOf !== undefined && !(await this.wallets.rejectSession(asId(rejectSessionOf))))
      return answer(refuse(invalid('/provider/rejectSessionOf', 'must be a user with a wallet')));
    if (provider !== undefined) await this.providerFaults.change(change);
    if (model !== undefined) await this.modelFaults.change(model);
    return this.readFaults();
  }
}
