import { refuse } from '../kernel/errors.ts'
import type { VersionChange } from '../platform/http/versions.ts'

export const customerName: VersionChange = {
  version: '2026-11-14',
  about: '`full_name` of a customer became `name`.',
  concerns: ['customers.*', 'customer.*'],
  renamed: { name: 'full_name' },
  request: ({ full_name, ...rest }) => {
    // In the old version there is no such member, and members that do not exist are refused.
    if ('name' in rest) {
      const errors = [
        { pointer: '/name', code: 'unknown_member' as const, detail: 'did you mean full_name?' },
      ]
      refuse('invalid_request', { detail: '1 member is not valid.', errors })
    }
    return full_name === undefined ? rest : { ...rest, name: full_name }
  },
  response: (newer) => {
    if (!('name' in newer)) return newer
    // The member keeps its place, so that the text of an old event reads as it always did.
    return Object.fromEntries(
      Object.entries(newer).map(([member, value]) => [member === 'name' ? 'full_name' : member, value]),
    )
  },
}
