/** A route is what its contract says, or the process does not start (docs/adr/0009-one-source-of-the-contract.md). */
import { Controller, Get, type Type } from '@nestjs/common';
import { operation, Serves } from '@app/http';
import { LoopbackIssuer } from '@app/testing/identity';
import { startLoopback } from '@app/testing/http';

const thing = { summary: 'A thing', answer: null };

@Controller()
class WithoutContract {
  @Get('/v1/users/:userId/things')
  list() {
    return {};
  }
}

@Controller()
class WithoutBody {
  // @ts-expect-error: the compiler asks for a body
  @Serves(operation('things.create', { ...thing, route: 'POST /v1/users/:userId/things' }))
  create() {
    return {};
  }
}

@Controller('v1')
class WithPath {
  @Serves(operation('things.list', { ...thing, route: 'GET /v1/users/:userId/things' }))
  list() {
    return {};
  }
}

it.each<readonly [string, Type, string]>([
  ['without a contract', WithoutContract, 'GET /v1/users/:userId/things has no contract'],
  ['whose body has no declared shape', WithoutBody, 'things.create is a POST whose body has no declared shape'],
  [
    'at another path than its contract says',
    WithPath,
    'GET /v1/v1/users/:userId/things is not the route of things.list',
  ],
])('a route %s does not start', async (_, controller, sentence) => {
  const issuer = new LoopbackIssuer();
  await expect(startLoopback({}, undefined, issuer, controller)).rejects.toThrow(sentence);
  await issuer.stop();
});
