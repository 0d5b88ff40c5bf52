import type { VersionChange } from '../platform/http/versions.ts'

export const customerName: VersionChange = {
  version: '2026-11-14',
  about: '`full_name` of a customer became `name`.',
  concerns: ['customers.*', 'customer.*'],
  renamed: { name: 'full_name' },
  request: ({ full_name, ...rest }) => (full_name === undefined ? rest : { ...rest, name: full_name }),
  response: (newer) => {
    if (!('name' in newer)) return newer
    // The member keeps its place, so that the text of an old event reads as it always did.
    return Object.fromEntries(
      Object.entries(newer).map(([member, value]) => [member === 'name' ? 'full_name' : member, value]),
    )
  },
}
