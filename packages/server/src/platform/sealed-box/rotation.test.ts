import { expect, test } from 'vitest'
import { masterKey, sealingForThisFile, secretLocation } from '../../../test/support/sealing.ts'
import type { Id } from '../../kernel/id.ts'
import { insertWorkspaceKey } from '../db/workspace-keys.ts'
import { createSealedBox, type SecretLocation } from '../sealed-box.ts'
import { createKeyring, type MasterKey } from './keyring.ts'
import { rotateMasterKey } from './rotation.ts'

const [older, newer, newest] = [masterKey('2026-10'), masterKey('2026-11'), masterKey('2026-12')]

/** Each test rotates all keys, so each has its own database. */
async function createSealing(masterKeys: MasterKey[], count: number) {
  const context = await sealingForThisFile()
  const workspaces = await context.newWorkspaces(count)
  const keyring = createKeyring(masterKeys)
  for (const id of workspaces)
    await context.inWorkspace(id, (db) => insertWorkspaceKey(db, keyring.newKey(id, 1)))
  return { ...context, workspaces }
}

type Sealing = Awaited<ReturnType<typeof createSealing>>

async function rotate({ databases }: Sealing, masterKeys: MasterKey[]) {
  const [progress, faults] = [[] as string[], [] as string[]]
  const remaining = await rotateMasterKey(databases, createKeyring(masterKeys), {
    onProgress: (done, total) => progress.push(`${done}/${total}`),
    onFault: (message) => faults.push(message),
  })
  return { remaining, progress, faults }
}

const seal = (sealing: Sealing, keys: MasterKey[], location: SecretLocation, text: string) =>
  sealing.inWorkspace(location.workspaceId, (db) => createSealedBox(keys).seal(db, location, text))
const open = (sealing: Sealing, keys: MasterKey[], location: SecretLocation, sealed: Buffer) =>
  sealing.inWorkspace(location.workspaceId, (db) => createSealedBox(keys).open(db, location, sealed))

const setup = await Promise.all([
  createSealing([older], 130),
  createSealing([older], 130),
  createSealing([older, newer], 3),
])
const [busy, stopped, mixed] = setup

test('data can be encrypted during a rotation, and the older master key can be removed afterwards', async () => {
  const sealedTexts: { location: SecretLocation; sealed: Buffer; text: string }[] = []
  const sealAndRemember = async (workspaceId: Id<'workspace'>, text: string) => {
    const location = secretLocation(workspaceId)
    sealedTexts.push({ location, text, sealed: await seal(busy, [newer, older], location, text) })
  }
  for (const [index, id] of busy.workspaces.entries())
    if (index % 10 === 0) await sealAndRemember(id, `before ${index}`)

  let isRotating = true
  const rotation = rotate(busy, [newer, older]).finally(() => {
    isRotating = false
  })
  for (let round = 0; isRotating; round += 1)
    await sealAndRemember(busy.workspaces.at(-1 - (round % 130)) as Id<'workspace'>, `meanwhile ${round}`)

  expect(await rotation).toEqual({ remaining: 0, progress: ['100/130', '130/130'], faults: [] })
  expect(sealedTexts.at(-1)?.text).toContain('meanwhile')
  for (const { location, sealed, text } of sealedTexts)
    expect(await open(busy, [newer], location, sealed)).toBe(text)
})

test('a rotation can be interrupted and run again, and two rotations can run concurrently', async () => {
  const keyring = createKeyring([newer, older])
  const stop = () => {
    throw new Error('Stopped.')
  }
  const first = rotateMasterKey(stopped.databases, keyring, { onProgress: stop, onFault: () => {} })
  await expect(first).rejects.toThrow('Stopped.')

  const both = await Promise.all([rotate(stopped, [newer, older]), rotate(stopped, [newer, older])])

  // Workspaces that the first run has completed are not repeated.
  const totals = both.flatMap(({ progress }) => progress.map((line) => Number(line.split('/')[1])))
  expect(Math.max(...totals)).toBe(30)
  expect(both.map(({ remaining, faults }) => ({ remaining, faults }))).toEqual(
    Array(2).fill({ remaining: 0, faults: [] }),
  )
  expect(await rotate(stopped, [newer, older])).toEqual({ remaining: 0, progress: [], faults: [] })
})

test('a key whose master key is missing is reported and left unchanged, and does not block others', async () => {
  const [lost] = await mixed.newWorkspaces(1)
  const location = secretLocation(lost as Id<'workspace'>)
  const sealed = await seal(mixed, [newer], location, 'kept')

  const { remaining, progress, faults } = await rotate(mixed, [newest, older])

  expect({ remaining, progress }).toEqual({ remaining: 1, progress: ['4/4'] })
  expect(faults).toEqual([
    expect.stringContaining(`Key 1 of ${lost} is encrypted with the master key "2026-11"`),
  ])
  expect(await open(mixed, [newer], location, sealed)).toBe('kept')
  expect(await rotate(mixed, [newest, newer])).toMatchObject({ remaining: 0, faults: [] })
  expect(await open(mixed, [newest], location, sealed)).toBe('kept')
})
