import type { Mode } from '../../kernel/id.ts'
import type { Access, Audience } from './site.ts'

/** Who may call the operation at that address; undefined if nobody has said so. */
export function audienceOf(access: Access, operation: string, mode: Mode): readonly Audience[] | undefined {
  const row = access[operation]
  return row === undefined || 'length' in row ? row : row[mode]
}

/** Whether pages in a browser call it, from wherever they come. */
export function isForPages(access: Access, operation: string): boolean {
  const modes = ['live', 'test'] as const
  return modes.some((mode) => audienceOf(access, operation, mode)?.includes('publishable'))
}
