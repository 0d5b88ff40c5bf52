import { expect, test } from 'vitest'
import { cardsForThisFile, type Owner, opened, typed } from '../../../test/support/cards.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { uuidOf } from '../../kernel/id.ts'
import { makeCodeKey } from '../../platform/db/code-keys.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { transact } from '../../platform/db/unit-of-work.ts'
import { createKeyring } from '../../platform/sealed-box/keyring.ts'
import { rotateMasterKey } from '../../platform/sealed-box/rotation.ts'
import { createSealedBox } from '../../platform/sealed-box.ts'
import { putCard } from './service/vault.ts'
import { forgetSecurityCode, revealCard, revealProviderToken, useToken } from './service.ts'

const { deps, config, clock, databaseUrl, settle, newWorkspace, ...cards } = await cardsForThisFile()
const { inUnit, aToken, aUsedToken, reveal, rowsIn } = cards

test('a token is used once, and then tells where its card lies and what may be shown of it', async () => {
  const { used, id, owner, cardId } = await aUsedToken()

  expect(used).toEqual({
    id,
    card: {
      ...{ brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
      ...{ funding: 'credit', country: 'US', bin: '424242' },
    },
    fingerprint: expect.stringMatching(/^[\w-]{43}$/),
    vaultCardId: uuidOf(id),
    providerToken: null,
  })
  expect(await reveal(owner, cardId)).toEqual(opened)
})

const notUsable = {
  code: 'reference_not_found',
  members: { errors: [{ pointer: '/token', code: 'not_found', detail: expect.any(String) }] },
}

test('a token that was used, is over, belongs to others or never was cannot be used, and all look the same', async () => {
  const { owner, id, workspace } = await aUsedToken()
  const theirs = await aToken(await newWorkspace())
  const old = await aToken(workspace)
  const refuses = async (...texts: string[]) => {
    for (const text of texts)
      await expect(inUnit(owner, (tx) => useToken(tx, text))).rejects.toMatchObject(notUsable)
  }

  await refuses(id, theirs, 'token_test_01M7CYVGQTEAKSNTBFR026MPQ1', workspace.workspaceId, '')
  clock.advance({ minutes: 15 })
  await refuses(old)
})

test('of many that use a token at once, one does; one that fails leaves it to the next', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await aToken(workspace)
  const failing = inUnit(owner, async (tx) => {
    await useToken(tx, id)
    throw new Error('The payment could not be written.')
  })
  await expect(failing).rejects.toThrow('could not be written')

  const tries = Array.from({ length: 10 }, () => inUnit(owner, (tx) => useToken(tx, id)))
  const outcomes = await Promise.allSettled(tries)

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('one number has one fingerprint in a workspace, and another one elsewhere', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const fingerprintOf = async (change: object) => {
    const id = await aToken(workspace, change)
    return (await inUnit(owner, (tx) => useToken(tx, id))).fingerprint
  }

  const first = await fingerprintOf({})
  const again = await fingerprintOf({ number: '4242-4242-4242-4242', exp_year: 2032, name: 'A. Lovelace' })
  const other = await fingerprintOf({ number: '5555555555554444' })
  const { used: elsewhere } = await aUsedToken()

  expect(again).toBe(first)
  expect(new Set([first, other, elsewhere.fingerprint]).size).toBe(3)
})

test('a code is forgotten when the payment ends, and after a quarter of an hour at the latest', async () => {
  const [asked, late] = [await aUsedToken(), await aUsedToken()]

  await forgetSecurityCode(deps, asked.owner, asked.cardId)
  clock.advance({ minutes: 14 })
  expect(await reveal(asked.owner, asked.cardId)).toEqual({ ...opened, cvc: null })
  expect(await reveal(late.owner, late.cardId)).toEqual(opened)

  clock.advance({ minutes: 1 })
  // Before anybody has cleaned up.
  expect(await reveal(late.owner, late.cardId)).toEqual({ ...opened, cvc: null })
  expect(await rowsIn('vault.security_codes', late.owner)).toBe(1)
  await settle()
  expect(await rowsIn('vault.security_codes', late.owner)).toBe(0)
  expect(await reveal(late.owner, late.cardId)).toEqual({ ...opened, cvc: null })
})

test('without its key a code is as good as forgotten, and the card is not', async () => {
  const { owner, cardId } = await aUsedToken()

  // As a crash of the database leaves it.
  await asOwner(databaseUrl, (client) =>
    client.query('truncate vault.code_keys_0, vault.code_keys_1, vault.code_keys_2'),
  )

  expect(await reveal(owner, cardId)).toEqual({ ...opened, cvc: null })
})

test('what a provider calls a card is sealed, and opened for its sender alone', async () => {
  const { post, workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  const config = { base_url: 'https://psp.example.com' }
  const { body: account } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Ours',
    config,
  })
  const shown = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const { body: token } = await post('/tokens', {
    type: 'provider_token',
    provider_token: { provider_account_id: account.id, token: 'tok_secret', card: shown },
  })

  const used = await inUnit(owner, (tx) => useToken(tx, token.id))

  expect(used).toMatchObject({
    vaultCardId: null,
    fingerprint: null,
    providerToken: { providerAccountId: account.id },
  })
  expect(await revealProviderToken(deps, owner, token.id)).toBe('tok_secret')
  clock.advance({ days: 9 })
  await settle()
  expect(await revealProviderToken(deps, owner, token.id)).toBeNull()
})

test('a card opens in no other row and in no other workspace', async () => {
  const [one, other] = [await aUsedToken(), await aUsedToken({ number: '5555555555554444', cvc: '999' })]
  await asOwner(databaseUrl, (client) =>
    client.query(
      'update vault.cards as a set sealed = b.sealed from vault.cards as b where a.id = $1 and b.id = $2',
      [one.cardId, other.cardId],
    ),
  )

  await expect(reveal(one.owner, one.cardId)).rejects.toThrow('was changed, or sealed for another place')
  expect(await reveal(other.owner, one.cardId)).toBeNull()
})

test('a code opens beside no other card', async () => {
  const [one, other] = [await aUsedToken(), await aUsedToken({ cvc: '999' })]
  await asOwner(databaseUrl, (client) =>
    client.query(
      'update vault.security_codes as a set sealed = b.sealed from vault.security_codes as b where a.card_id = $1 and b.card_id = $2',
      [one.cardId, other.cardId],
    ),
  )

  await expect(reveal(one.owner, one.cardId)).rejects.toThrow('was changed, or sealed for another place')
})

test('cards and fingerprints stay the same when the master key is rotated', async () => {
  const { workspace, owner, cardId, used } = await aUsedToken()
  const [older] = config.masterKeys
  const newer = { id: 'newer', key: Buffer.alloc(32, 'n') }
  if (older === undefined) throw new Error('There is a master key.')

  const notes = { onProgress: () => {}, onFault: (sentence: string) => expect.unreachable(sentence) }
  expect(await rotateMasterKey(deps.databases, createKeyring([newer, older]), notes)).toBe(0)
  const rotated = { ...deps, sealedBox: createSealedBox([newer]) }

  expect(await revealCard(rotated, owner, cardId)).toEqual(opened)
  const again = await transact(rotated, systemCaller({ workspaceId: owner, id: owner }), (tx) =>
    putCard(rotated, tx, tx.newId('token'), { ...opened }),
  )
  expect(again).toBe(used.fingerprint)
  // Back to the key that this file's server knows.
  expect(await rotateMasterKey(deps.databases, createKeyring([older, newer]), notes)).toBe(0)
  expect((await workspace.post('/tokens', { type: 'card', card: typed })).status).toBe(201)
})

test('many who need the key of a half hour at once get the same one', async () => {
  const owner = (await newWorkspace()).workspaceId as Owner
  const vault = deps.databases.of(owner)

  const keys = await Promise.all(
    Array.from({ length: 12 }, () => vault.inVault(owner, (db) => makeCodeKey(db, 30_000))),
  )

  expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(1)
})
