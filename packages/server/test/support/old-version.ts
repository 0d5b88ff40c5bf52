/** An older API version for tests. The real API has no older version yet. */
import { createVersions } from '../../src/platform/http/versions.ts'
import { versions } from '../../src/versions/registry.ts'

export const oldVersion = '2026-10-01'

/** In the old version, the `name` member of a customer is called `full_name`. */
export const withOldVersion = createVersions(oldVersion, [
  {
    version: versions.current,
    about: '`full_name` of a customer became `name`.',
    concerns: ['customers.*', 'customer.*'],
    renamed: { name: 'full_name' },
    request: ({ full_name, ...rest }) => (full_name === undefined ? rest : { ...rest, name: full_name }),
    response: (newer) =>
      // The member keeps its position, as changes must keep the order of members.
      Object.fromEntries(
        Object.entries(newer).map(([member, value]) => [member === 'name' ? 'full_name' : member, value]),
      ),
  },
])
