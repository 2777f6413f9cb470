import { applyDecorators, Header, HttpCode, RequestMapping, RequestMethod, type Type } from '@nestjs/common';
import { Reflector, type ModulesContainer } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { isRawAnswer, type Contract } from './operation';

const ContractOf = Reflector.createDecorator<Contract>();

/**
 * Has a controller's method serve an operation: route, status and media type follow from the contract, and body and query are
 * checked against it before the method runs. The controller itself has no path.
 */
export function Serves(contract: Contract): MethodDecorator {
  const { method, path, status, answer } = contract;
  const isJson = answer !== null && !isRawAnswer(answer);
  return applyDecorators(
    RequestMapping({ method: RequestMethod[method], path }),
    HttpCode(status),
    RouteConfig({ contract }),
    ContractOf(contract),
    ...(isJson ? [Header('content-type', 'application/json; charset=utf-8')] : []),
  );
}

/** The contracts that an application's controllers serve, sorted by path and method. Nothing needs to be running. */
export function servedContracts(modules: ModulesContainer): readonly Contract[] {
  const controllers = new Set(
    [...modules.values()].flatMap((module) => [...module.controllers.values()].map(({ metatype }) => metatype)),
  );
  const found = [...controllers].flatMap((controller) => (isClass(controller) ? contractsOf(controller) : []));
  return found.sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
}

/** As documents list them: with parameters in braces. */
function sortKeyOf({ path, method }: Contract): string {
  return `${path.replace(/:(\w+)/g, '{$1}')} ${method.toLowerCase()}`;
}

function contractsOf(controller: Type): Contract[] {
  const reflector = new Reflector();
  // Reason for the assertion: a class's prototype is an object, of which nothing else is assumed.
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler: unknown = Reflect.get(prototype, name);
    if (typeof handler !== 'function') return [];
    // Reason for the assertion: Nest's types say that every method has a contract; those without the decorator have none.
    const contract = reflector.get(ContractOf, handler) as Contract | undefined;
    return contract === undefined ? [] : [contract];
  });
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function';
}
