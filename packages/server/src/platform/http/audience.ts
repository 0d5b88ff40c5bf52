import type { Mode } from '../../kernel/id.ts'
import type { Access, Audience } from './http-context.ts'

/** Who may call the operation in that mode; undefined if it is not declared. */
export function audienceOf(access: Access, operation: string, mode: Mode): readonly Audience[] | undefined {
  const row = access[operation]
  return row === undefined || 'length' in row ? row : row[mode]
}

/** Whether browser pages of any origin may call the operation. */
export function isForPages(access: Access, operation: string): boolean {
  const modes = ['live', 'test'] as const
  return modes.some((mode) => audienceOf(access, operation, mode)?.includes('publishable'))
}
