import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { answer } from './problems';
import { validateInto } from './validate-into';
import type { DtoClass } from './dto';

/** Checks every `@Body()` and `@Query()` parameter whose type is a DTO class; other types are handed through. */
export class StrictPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !isDto(metatype)) return value;
    return answer(validateInto(metatype, value));
  }
}

// The types that TypeScript emits for what is no class.
const notDtos = new Set<unknown>([undefined, Object, String, Number, Boolean, Array, Buffer, Promise, Function]);

function isDto(metatype: ArgumentMetadata['metatype']): metatype is DtoClass {
  return !notDtos.has(metatype);
}
