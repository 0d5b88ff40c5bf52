import { expect, test } from 'vitest'
import type { Ref } from '../../kernel/id.ts'
import { withBatching } from './batch-work.ts'
import type { WorkType } from './work.ts'

type Calls = { readonly batches: string[][]; readonly single: string[] }

/** Records its calls. Any call that includes `bad` fails. */
function recordingWork({ batches, single }: Calls): WorkType<null> {
  const failIfBad = (ids: string[]) => {
    if (ids.includes('bad')) throw new Error('bad')
  }
  return {
    name: 'job.run',
    objectKind: 'customer',
    due: async () => [],
    async handle(_deps, { id }) {
      single.push(id)
      failIfBad([id])
    },
    async handleMany(_deps, refs) {
      const ids = refs.map(({ id }) => id as string)
      batches.push(ids)
      failIfBad(ids)
    },
  }
}

const refOf = (workspaceId: string, id: string) => ({ workspaceId, id }) as unknown as Ref
const noCalls = (): Calls => ({ batches: [], single: [] })

test('concurrent work items are handled in batches of at most a hundred, and workspaces are never mixed', async () => {
  const calls = noCalls()
  const { handle } = withBatching(recordingWork(calls))
  const ids = Array.from({ length: 250 }, (_, n) => `a${n}`)
  await Promise.all([...ids.map((id) => handle(null, refOf('a', id))), handle(null, refOf('b', 'b0'))])
  expect(calls.batches.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(calls.batches.flat()).toEqual(ids)
  expect(calls.single).toEqual(['b0'])
})

test('if one work item of a batch fails, the others succeed', async () => {
  const calls = noCalls()
  const { handle } = withBatching(recordingWork(calls))
  const results = await Promise.allSettled(['x', 'bad', 'y'].map((id) => handle(null, refOf('a', id))))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(calls).toEqual({ batches: [['x', 'bad', 'y']], single: ['x', 'bad', 'y'] })
})

test('work without batch handling is unchanged', () => {
  const { handleMany: _, ...unbatched } = recordingWork(noCalls())
  expect(withBatching(unbatched)).toBe(unbatched)
})
