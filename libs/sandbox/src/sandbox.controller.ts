import { Body, Controller, Get, HttpCode, Post, Put, UseGuards } from '@nestjs/common';
import { Operation } from '@app/http';
import { ClockMoves, type ClockReading } from './clock-moves';
import { Issuer, type MintedToken } from './issuer';
import { LoopbackOnly } from './loopback.guard';
import { ProviderFaults } from './provider-faults';
import { ClockMove, FaultChange, NewOperatorToken, NewToken, type Faults } from './sandbox.dto';
import { SandboxFaults } from './sandbox-faults';

const tokenLifeSeconds = 3_600;

/** The sandbox's calls (decisions.md, section 10). */
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
  @Operation('sandbox.tokens')
  async token(@Body() { subject, expiresInSeconds }: NewToken): Promise<MintedToken> {
    return this.issuer.userToken(subject, expiresInSeconds ?? tokenLifeSeconds);
  }

  @Post('operator-tokens')
  @HttpCode(200)
  @Operation('sandbox.operatorTokens')
  async operatorToken(@Body() { subject, scopes }: NewOperatorToken): Promise<MintedToken> {
    return this.issuer.operatorToken(subject, scopes, tokenLifeSeconds);
  }

  @Get('clock')
  @Operation('sandbox.readClock')
  readClock(): ClockReading {
    return this.clock.read();
  }

  @Post('clock')
  @HttpCode(200)
  @Operation('sandbox.moveClock')
  async moveClock(@Body() { advanceSeconds }: ClockMove): Promise<ClockReading> {
    return this.clock.advance(advanceSeconds);
  }

  @Get('faults')
  @Operation('sandbox.readFaults')
  async readFaults(): Promise<Faults> {
    return { provider: await this.providerFaults.current(), model: this.modelFaults.current() };
  }

  @Put('faults')
  @Operation('sandbox.setFaults')
  async setFaults(@Body() { provider, model }: FaultChange): Promise<Faults> {
    if (provider !== undefined) await this.providerFaults.change(provider);
    if (model !== undefined) await this.modelFaults.change(model);
    return this.readFaults();
  }
}
