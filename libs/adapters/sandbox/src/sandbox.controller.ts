import { Body, Controller, Get, HttpCode, Post, Put, UseGuards } from '@nestjs/common';
import { Operation } from '@app/http';
import { ClockMoves, ClockReading } from './clock-moves';
import { Issuer, MintedToken } from './issuer';
import { LoopbackOnly } from './loopback.guard';
import { ProviderFaults } from './provider-faults';
import { ClockMove, FaultChange, NewOperatorToken, NewToken, Faults } from './sandbox.dto';
import { SandboxFaults } from './sandbox-faults';

const tokenLifeSeconds = 3_600;

const examples = {
  token: {
    accessToken: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQ3MTEifQ.c2lnbmF0dXJl',
    expiresAt: '2026-11-21T10:15:00.000Z',
  },
  clock: { now: '2026-11-22T09:15:00.000Z', remainingSeconds: 0 },
  faults: {
    provider: {
      ...{ submit: 'reject', settleAfterSeconds: 2, down: false, sessionRejected: false },
      ...{ duplicateCallbacks: false, unpriced: false, undescribed: false },
    },
    model: { delayMs: 0, fail: false },
  },
} as const;

/** The sandbox's calls (docs/decisions/sandbox.md). */
@Controller('sandbox/v1')
@UseGuards(LoopbackOnly)
export class SandboxController {
  constructor(
    private readonly issuer: Issuer,
    private readonly clock: ClockMoves,
    private readonly providerFaults: ProviderFaults,
    private readonly modelFaults: SandboxFaults,
  ) {}

  @Post('tokens')
  @HttpCode(200)
  @Operation('sandbox.tokens', {
    summary: 'Mint an access token for a user',
    description: 'By the built-in issuer, which the service verifies the way it verifies any issuer.',
    requestExample: { subject: 'user-4711', expiresInSeconds: 3600 },
    answer: MintedToken,
    answerExample: examples.token,
  })
  async token(@Body() { subject, expiresInSeconds }: NewToken): Promise<MintedToken> {
    return this.issuer.userToken(subject, expiresInSeconds ?? tokenLifeSeconds);
  }

  @Post('operator-tokens')
  @HttpCode(200)
  @Operation('sandbox.operatorTokens', {
    summary: 'Mint an access token for an operator',
    requestExample: { subject: 'operator-1', scopes: ['keys', 'users'] },
    answer: MintedToken,
    answerExample: examples.token,
  })
  async operatorToken(@Body() { subject, scopes }: NewOperatorToken): Promise<MintedToken> {
    return this.issuer.operatorToken(subject, scopes, tokenLifeSeconds);
  }

  @Get('clock')
  @Operation('sandbox.readClock', {
    summary: 'Read the service clock',
    answer: ClockReading,
    answerExample: examples.clock,
  })
  readClock(): ClockReading {
    return this.clock.read();
  }

  @Post('clock')
  @HttpCode(200)
  @Operation('sandbox.moveClock', {
    summary: 'Move the service clock forward',
    description:
      'Through every due instant in order, each handled at its own instant; at most 2,000 instants a call. It answers when all are recorded; runs that they start go on by themselves.',
    requestExample: { advanceSeconds: 86_400 },
    answer: ClockReading,
    answerExample: examples.clock,
  })
  async moveClock(@Body() { advanceSeconds }: ClockMove): Promise<ClockReading> {
    return this.clock.advance(advanceSeconds);
  }

  @Get('faults')
  @Operation('sandbox.readFaults', {
    summary: 'Read the faults that are switched on',
    answer: Faults,
    answerExample: examples.faults,
  })
  async readFaults(): Promise<Faults> {
    return { provider: await this.providerFaults.current(), model: this.modelFaults.current() };
  }

  @Put('faults')
  @Operation('sandbox.setFaults', {
    summary: 'Switch faults on or off',
    description: 'Sets what it names, leaves the rest, and answers all.',
    requestExample: { provider: { submit: 'reject' }, model: { delayMs: 0 } },
    answer: Faults,
    answerExample: examples.faults,
  })
  async setFaults(@Body() { provider, model }: FaultChange): Promise<Faults> {
    if (provider !== undefined) await this.providerFaults.change(provider);
    if (model !== undefined) await this.modelFaults.change(model);
    return this.readFaults();
  }
}
