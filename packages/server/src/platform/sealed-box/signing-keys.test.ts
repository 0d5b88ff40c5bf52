import { expect, test } from 'vitest'
import { masterKey, sealingForThisFile } from '../../../test/support/sealing.ts'
import { idFromUuid, idMaker } from '../../kernel/id.ts'
import { sign, verifySignature } from '../../kernel/signature.ts'
import { createKeyring, type MasterKey } from './keyring.ts'
import { rotateMasterKey } from './rotation.ts'
import { createSigningKeys, derivedKeys } from './signing-keys.ts'

const [older, newer] = [masterKey('2026-11'), masterKey('2027-11')]
const newUuid = idMaker(new Date(), 1)
const link = {
  workspaceId: idFromUuid('workspace', 'live', newUuid()),
  id: idFromUuid('payment_link', 'live', newUuid()),
}

async function loadedKeys(
  { databases }: Awaited<ReturnType<typeof sealingForThisFile>>,
  masterKeys: MasterKey[],
) {
  const { keys, load } = createSigningKeys(masterKeys)
  const faults = await load(databases)
  return { keys, faults }
}

const callbacks = { onProgress: () => {}, onFault: () => {} }

test('payment links signed before and after the upgrade survive a rotation of the master key', async () => {
  const sealing = await sealingForThisFile()
  const beforeUpgrade = sign(derivedKeys([older], 'links of payers'), link)
  const afterUpgrade = sign((await loadedKeys(sealing, [older])).keys.linkKeys, link)
  const duringRotation = sign((await loadedKeys(sealing, [newer, older])).keys.linkKeys, link)
  expect(await rotateMasterKey(sealing.databases, createKeyring([newer, older]), callbacks)).toBe(0)

  const { keys, faults } = await loadedKeys(sealing, [newer])

  expect(faults).toEqual([])
  for (const signature of [beforeUpgrade, afterUpgrade, duringRotation])
    expect(verifySignature(keys.linkKeys, 'live', link.id, signature)).toBe(link.workspaceId)
  expect(duringRotation).toEqual(afterUpgrade)
})

test('a master key removed without a rotation is reported, and no new key is stored', async () => {
  const sealing = await sealingForThisFile()
  const signature = sign((await loadedKeys(sealing, [older])).keys.linkKeys, link)

  const { keys, faults } = await loadedKeys(sealing, [newer])

  expect(faults.join()).toContain('2026-11')
  expect(verifySignature(keys.linkKeys, 'live', link.id, signature)).toBeNull()
  const again = await loadedKeys(sealing, [older])
  expect(verifySignature(again.keys.linkKeys, 'live', link.id, signature)).toBe(link.workspaceId)
})

test('each purpose has its own key', async () => {
  const { keys } = await loadedKeys(await sealingForThisFile(), [older])

  const firsts = [keys.linkKeys, keys.sessionKeys, keys.deviceKeys].map(([key]) =>
    Buffer.from(key as Uint8Array),
  )

  expect(new Set(firsts.map((key) => key.toString('hex'))).size).toBe(3)
})
