import { expect, test } from 'vitest'
import type { Ref } from '../../kernel/id.ts'
import { gathered } from './gather.ts'
import type { Work } from './work.ts'

type Seen = { readonly lots: string[][]; readonly alone: string[] }

/** Notes what it is given. Whatever is called `bad` fails, and whatever it is handled with. */
function workThat({ lots, alone }: Seen): Work<null> {
  const refuse = (ids: string[]) => {
    if (ids.includes('bad')) throw new Error('bad')
  }
  return {
    name: 'job.run',
    key: 'customer',
    due: async () => [],
    async handle(_deps, { id }) {
      alone.push(id)
      refuse([id])
    },
    async handleMany(_deps, refs) {
      const ids = refs.map(({ id }) => id as string)
      lots.push(ids)
      refuse(ids)
    },
  }
}

const refOf = (workspaceId: string, id: string) => ({ workspaceId, id }) as unknown as Ref
const nothingSeen = (): Seen => ({ lots: [], alone: [] })

test('what comes together is handled together, a hundred at most, and workspaces are never mixed', async () => {
  const seen = nothingSeen()
  const { handle } = gathered(workThat(seen))
  const ids = Array.from({ length: 250 }, (_, n) => `a${n}`)
  await Promise.all([...ids.map((id) => handle(null, refOf('a', id))), handle(null, refOf('b', 'b0'))])
  expect(seen.lots.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(seen.lots.flat()).toEqual(ids)
  expect(seen.alone).toEqual(['b0'])
})

test('if one of them is at fault, the others are done, and only that one fails', async () => {
  const seen = nothingSeen()
  const { handle } = gathered(workThat(seen))
  const ended = await Promise.allSettled(['x', 'bad', 'y'].map((id) => handle(null, refOf('a', id))))
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(seen).toEqual({ lots: [['x', 'bad', 'y']], alone: ['x', 'bad', 'y'] })
})

test('work that knows only single pieces stays as it is', () => {
  const { handleMany: _, ...single } = workThat(nothingSeen())
  expect(gathered(single)).toBe(single)
})
