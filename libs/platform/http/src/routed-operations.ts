import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { areaOf, type Area, type OperationPlan } from './operation';

/** An operation with the route that its controller gives it. */
export interface RoutedOperation {
  readonly plan: OperationPlan;
  readonly area: Area;
  readonly method: string;
  /** With parameters in braces, as in `/v1/users/{userId}/budget`. */
  readonly path: string;
  /** Of a success. */
  readonly status: number;
}

/** Every operation of an application, as its controllers declare them, sorted by path and method. Nothing needs to be running. */
export function routedOperations(modules: ModulesContainer): readonly RoutedOperation[] {
  const controllers = new Set(
    [...modules.values()].flatMap((module) => [...module.controllers.values()].map(({ metatype }) => metatype)),
  );
  const found = [...controllers].flatMap((controller) => (isClass(controller) ? operationsOf(controller) : []));
  return found.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ path, method }: RoutedOperation): string {
  return `${path} ${method}`;
}

function operationsOf(controller: Type): RoutedOperation[] {
  // Reason for the assertion: a class's prototype is an object, of which nothing else is assumed.
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler: unknown = Reflect.get(prototype, name);
    return typeof handler === 'function' ? operationOf(controller, handler) : [];
  });
}

// The routes' configuration, where @nestjs/platform-fastify keeps it.
const routeConfigKey = '__fastify_route_config__';

function operationOf(controller: Type, handler: object): RoutedOperation[] {
  // Reason for the assertion: @Operation puts plans under this key.
  const config = Reflect.getMetadata(routeConfigKey, handler) as { readonly plan: OperationPlan } | undefined;
  if (config === undefined) return [];
  // Reason for the assertion: Nest keeps a number of its enum here.
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'ALL';
  const parts = [controller, handler].map((target) => String(Reflect.getMetadata(PATH_METADATA, target) ?? ''));
  const pattern = `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
  // Reason for the assertion: what @HttpCode was given, if it was used.
  const status = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return [
    {
      plan: config.plan,
      area: areaOf(pattern),
      method: method.toLowerCase(),
      path: pattern.replace(/:(\w+)/g, '{$1}'),
      status: status ?? (method === 'POST' ? 201 : 200),
    },
  ];
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function';
}
