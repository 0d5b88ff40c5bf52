import { expect, test } from 'vitest'
import { masterKey, placeIn, sealingForThisFile } from '../../../test/support/sealing.ts'
import type { Id } from '../../kernel/id.ts'
import { insertWorkspaceKey } from '../db/workspace-keys.ts'
import { createSealedBox, type Place } from '../sealed-box.ts'
import { createKeyring, type MasterKey } from './keyring.ts'
import { rotateMasterKey } from './rotation.ts'

const [older, newer, newest] = [masterKey('2026-10'), masterKey('2026-11'), masterKey('2026-12')]

/** Each test rotates all there is, so each has a database of its own. */
async function sealing(masterKeys: MasterKey[], count: number) {
  const made = await sealingForThisFile()
  const workspaces = await made.newWorkspaces(count)
  const keyring = createKeyring(masterKeys)
  for (const id of workspaces)
    await made.inWorkspace(id, (db) => insertWorkspaceKey(db, keyring.newKey(id, 1)))
  return { ...made, workspaces }
}

type Sealing = Awaited<ReturnType<typeof sealing>>

async function rotate({ databases }: Sealing, masterKeys: MasterKey[]) {
  const [progress, faults] = [[] as string[], [] as string[]]
  const left = await rotateMasterKey(databases, createKeyring(masterKeys), {
    onProgress: (done, total) => progress.push(`${done}/${total}`),
    onFault: (sentence) => faults.push(sentence),
  })
  return { left, progress, faults }
}

const seal = (on: Sealing, keys: MasterKey[], place: Place, text: string) =>
  on.inWorkspace(place.workspaceId, (db) => createSealedBox(keys).seal(db, place, text))
const open = (on: Sealing, keys: MasterKey[], place: Place, sealed: Buffer) =>
  on.inWorkspace(place.workspaceId, (db) => createSealedBox(keys).open(db, place, sealed))

const setup = await Promise.all([sealing([older], 130), sealing([older], 130), sealing([older, newer], 3)])
const [busy, stopped, mixed] = setup

test('keys move under the first master key while texts are sealed, and the older one can then be removed', async () => {
  const kept: { place: Place; sealed: Buffer; text: string }[] = []
  const note = async (workspaceId: Id<'workspace'>, text: string) => {
    const place = placeIn(workspaceId)
    kept.push({ place, text, sealed: await seal(busy, [newer, older], place, text) })
  }
  for (const [place, id] of busy.workspaces.entries()) if (place % 10 === 0) await note(id, `before ${place}`)

  let isRotating = true
  const rotation = rotate(busy, [newer, older]).finally(() => {
    isRotating = false
  })
  for (let round = 0; isRotating; round += 1)
    await note(busy.workspaces.at(-1 - (round % 130)) as Id<'workspace'>, `meanwhile ${round}`)

  expect(await rotation).toEqual({ left: 0, progress: ['100/130', '130/130'], faults: [] })
  expect(kept.at(-1)?.text).toContain('meanwhile')
  for (const { place, sealed, text } of kept) expect(await open(busy, [newer], place, sealed)).toBe(text)
})

test('it can be stopped and run again, and by two at once', async () => {
  const keyring = createKeyring([newer, older])
  const stop = () => {
    throw new Error('Stopped.')
  }
  const first = rotateMasterKey(stopped.databases, keyring, { onProgress: stop, onFault: () => {} })
  await expect(first).rejects.toThrow('Stopped.')

  const both = await Promise.all([rotate(stopped, [newer, older]), rotate(stopped, [newer, older])])

  // What the first run had done by then is not done again.
  const totals = both.flatMap(({ progress }) => progress.map((line) => Number(line.split('/')[1])))
  expect(Math.max(...totals)).toBe(30)
  expect(both.map(({ left, faults }) => ({ left, faults }))).toEqual(Array(2).fill({ left: 0, faults: [] }))
  expect(await rotate(stopped, [newer, older])).toEqual({ left: 0, progress: [], faults: [] })
})

test('a key whose master key is missing is named and left as it is, and holds up no other', async () => {
  const [lost] = await mixed.newWorkspaces(1)
  const place = placeIn(lost as Id<'workspace'>)
  const sealed = await seal(mixed, [newer], place, 'kept')

  const { left, progress, faults } = await rotate(mixed, [newest, older])

  expect({ left, progress }).toEqual({ left: 1, progress: ['4/4'] })
  expect(faults).toEqual([
    expect.stringContaining(`Key 1 of ${lost} is sealed with the master key "2026-11"`),
  ])
  expect(await open(mixed, [newer], place, sealed)).toBe('kept')
  expect(await rotate(mixed, [newest, newer])).toMatchObject({ left: 0, faults: [] })
  expect(await open(mixed, [newest], place, sealed)).toBe('kept')
})
