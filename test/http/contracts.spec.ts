/** A route equals its contract, or the process does not start (docs/adr/0009-one-source-of-the-contract.md). */
import { Body, Controller, Get, Query, type Type } from '@nestjs/common';
import { Member, operation, Serves } from '@app/http';
import { shape, text } from '@app/schema';
import { LoopbackIssuer } from '@app/testing/identity';
import { startLoopback } from '@app/testing/http';

const Thing = shape('Thing', { name: text() });
const thing = { summary: 'A thing', answer: Thing };

@Controller()
class WithoutContract {
  @Get('/v1/users/:userId/things')
  list() {
    return { name: '' };
  }
}

@Controller()
class WithoutBody {
  // @ts-expect-error: the compiler asks for a body
  @Serves(operation('things.create', { ...thing, route: 'POST /v1/users/:userId/things' }))
  create() {
    return { name: '' };
  }
}

@Controller('v1')
class WithPath {
  @Serves(operation('things.list', { ...thing, route: 'GET /v1/users/:userId/things' }))
  list() {
    return { name: '' };
  }
}

class Named {
  @Member(text())
  name: string;
}

class Numbered {
  @Member(text())
  number: string;
}

const nameThing = operation('things.name', { ...thing, route: 'POST /v1/users/:userId/name', body: Named });
const readThing = operation('things.read', {
  ...thing,
  route: 'POST /v1/users/:userId/read',
  body: { readByHandler: Named },
});
const findThing = operation('things.find', { ...thing, route: 'GET /v1/users/:userId/found', query: Named });

/** The compiler refuses methods that do not take what their contract declares; this file only compiles as long as it does. */
@Controller()
class WithOtherInput {
  @Serves(nameThing)
  name(@Body() { name }: Named) {
    return { name };
  }
  // @ts-expect-error: the body has no number
  @Serves(nameThing)
  otherBody(@Body() { number }: Numbered) {
    return { name: number };
  }
  // @ts-expect-error: the body is not taken
  @Serves(nameThing)
  noBody() {
    return { name: '' };
  }
  // @ts-expect-error: nothing has checked the body
  @Serves(readThing)
  uncheckedBody(@Body() { name }: Named) {
    return { name };
  }
  // @ts-expect-error: the query has no number
  @Serves(findThing)
  otherQuery(@Query() { number }: Numbered) {
    return { name: number };
  }
}

const listThings = operation('things.list', { ...thing, route: 'GET /v1/users/:userId/things' });
const deleteThing = operation('things.delete', {
  ...thing,
  route: 'DELETE /v1/users/:userId/things/:thing',
  parameters: { thing: { description: 'A thing', example: 'one' } },
  answer: null,
});

/** The compiler also refuses methods with another answer than their contract declares. */
@Controller()
class WithOtherAnswer {
  @Serves(listThings)
  asJson() {
    return '{"name":"one"}';
  }
  // @ts-expect-error: a thing has a name
  @Serves(listThings)
  nameless() {
    return {};
  }
  // @ts-expect-error: a name is a text
  @Serves(listThings)
  async numbered() {
    return Promise.resolve({ name: 1 });
  }
  // @ts-expect-error: nothing is answered
  @Serves(deleteThing)
  something() {
    return { name: 'one' };
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
  ['that another method serves already', WithOtherInput, "Method 'POST' already declared for route"],
  ['that is served twice', WithOtherAnswer, "Method 'GET' already declared for route"],
])('a route %s does not start', async (_, controller, sentence) => {
  const issuer = new LoopbackIssuer();
  await expect(startLoopback({}, undefined, issuer, controller)).rejects.toThrow(sentence);
  await issuer.stop();
});
