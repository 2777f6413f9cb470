import { applyDecorators, Header, HttpCode, RequestMapping, RequestMethod, type Type } from '@nestjs/common';
import { Reflector, type ModulesContainer } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { DtoClass, Schema } from '@app/schema';
import { isRawAnswer, type Contract, type TypedContract } from './operation';
import { listedPath, routedPath } from './path-names';

const ContractOf = Reflector.createDecorator<Contract>();

/** The type of the body or query that a method receives for its contract: `unknown` if it is unchecked, null if there is none. */
type Given<Declared> = Declared extends 'none' | undefined
  ? null
  : Declared extends DtoClass<infer Dto>
    ? keyof Dto extends never
      ? null
      : Dto
    : Declared extends { readonly stream: string }
      ? AsyncIterable<Buffer>
      : Declared extends { readonly bytes: unknown }
        ? Buffer | undefined
        : unknown;

/** `unknown` if one of the parameters accepts the given type; otherwise the error text. */
type Taking<Parameters extends readonly unknown[], Declared, Wrong> =
  Given<Declared> extends null
    ? unknown
    : true extends { [Index in keyof Parameters]: [Given<Declared>] extends [Parameters[Index]] ? true : false }[number]
      ? unknown
      : Wrong;

/**
 * The return type of a method: the type that the schema describes, as an object or as its JSON; nothing; or the input of a writer of other
 * media.
 */
type Answers<Answer> = Answer extends null
  ? void
  : Answer extends Schema<infer Described>
    ? Described | string
    : unknown;

/** Decorates a method that accepts the body and the query of its contract, and returns its answer; the compiler refuses any other. */
type ServingDecorator<Taken, Asked, Answer> = <Method extends (...parameters: never[]) => unknown>(
  controller: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method> &
    Taking<Parameters<Method>, Taken, 'no parameter takes the body of the contract'> &
    Taking<Parameters<Method>, Asked, 'no parameter takes the query of the contract'> &
    ([Awaited<ReturnType<Method>>] extends [Answers<Answer>] ? unknown : 'the contract declares another answer'),
) => void;

/**
 * Makes a controller's method serve an operation. Route, status and media type follow from the contract; body and query are checked against
 * it before the method runs, and a parameter of the method must accept each. The controller itself has no path.
 * @example
 * @Serves(readOwnAccount)
 * me(@Caller() caller: Caller): UserView { … }
 */
export function Serves<Taken, Asked, Answer extends Contract['answer']>(
  contract: TypedContract<Taken, Asked, Answer>,
): ServingDecorator<Taken, Asked, Answer> {
  const { method, path, status, answer } = contract;
  const isJson = answer !== null && !isRawAnswer(answer);
  return applyDecorators(
    RequestMapping({ method: RequestMethod[method], path: routedPath(path) }),
    HttpCode(status),
    RouteConfig({ contract }),
    ContractOf(contract),
    ...(isJson ? [Header('content-type', 'application/json; charset=utf-8')] : []),
  );
}

/** The contracts that an application's controllers serve, sorted by path and method. Nothing needs to be running. */
export function findContracts(modules: ModulesContainer): readonly Contract[] {
  const controllers = new Set(
    [...modules.values()].flatMap((module) => [...module.controllers.values()].map(({ metatype }) => metatype)),
  );
  const found = [...controllers].flatMap((controller) => (isClass(controller) ? contractsOf(controller) : []));
  return found.sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
}

/** Sorts paths as documents list them. */
function sortKeyOf({ path, method }: Contract): string {
  return `${listedPath(path)} ${method.toLowerCase()}`;
}

function contractsOf(controller: Type): Contract[] {
  const reflector = new Reflector();
  // Reason for the assertion: a class's prototype is an object, of which nothing else is assumed.
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler: unknown = Reflect.get(prototype, name);
    if (typeof handler !== 'function') return [];
    // Reason for the assertion: Nest's types claim that every method has a contract; those without the decorator have none.
    const contract = reflector.get(ContractOf, handler) as Contract | undefined;
    return contract === undefined ? [] : [contract];
  });
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function';
}
