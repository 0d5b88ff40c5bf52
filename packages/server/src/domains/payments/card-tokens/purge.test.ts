import { expect, test } from 'vitest'
import { cardsForThisFile, type Owner, revealedCard } from '../../../../test/support/cards.ts'
import { uuidOf } from '../../../kernel/id.ts'
import { asOwner } from '../../../platform/db/owner.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { purgeVault } from './service/purge.ts'
import { storeCard } from './service/vault.ts'
import { destroyCard, retainCard, useToken } from './service.ts'

const { deps, clock, databaseUrl, settle, newWorkspace, ...cards } = await cardsForThisFile()
const { inTransaction, createToken, createUsedToken, reveal, countRows } = cards

test('an unused token is deleted with its card when it expires', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await createToken(workspace)

  clock.advance({ minutes: 14 })
  await settle()
  expect(await reveal(owner, uuidOf(id))).toMatchObject({ number: revealedCard.number })
  clock.advance({ minutes: 1 })
  await settle()

  expect(await reveal(owner, uuidOf(id))).toBeNull()
  expect(await countRows('card_tokens', owner)).toBe(0)
  expect(await countRows('vault.security_codes', owner)).toBe(0)
})

test('the card of a payment is kept for as long as the payment can be unresolved, and no longer', async () => {
  const { owner, cardId } = await createUsedToken()

  for (let day = 0; day < 7; day += 1) {
    clock.advance({ days: 1 })
    await settle()
    expect(await reveal(owner, cardId)).toEqual({ ...revealedCard, cvc: null })
  }
  clock.advance({ days: 1 })
  await settle()

  expect(await reveal(owner, cardId)).toBeNull()
  expect(await countRows('card_tokens', owner)).toBe(0)
})

test('a saved card is kept until it is no longer needed, and is then deleted immediately', async () => {
  const { owner, cardId } = await createUsedToken()
  await inTransaction(owner, (tx) => retainCard(tx, cardId))

  for (let month = 0; month < 4; month += 1) {
    clock.advance({ days: 30 })
    await settle()
  }
  expect(await reveal(owner, cardId)).toEqual({ ...revealedCard, cvc: null })

  await inTransaction(owner, (tx) => destroyCard(tx, cardId))
  await settle()
  expect(await reveal(owner, cardId)).toBeNull()
  // Repeating it changes nothing.
  await inTransaction(owner, (tx) => destroyCard(tx, cardId))
  await settle()
})

test('a transaction that is rolled back neither retains nor deletes a card', async () => {
  const [saved, deleted] = [await createUsedToken(), await createUsedToken()]
  const failing = (owner: Owner, change: (tx: Tx) => Promise<void>) =>
    inTransaction(owner, async (tx) => {
      await change(tx)
      throw new Error('Not written.')
    })

  await expect(failing(saved.owner, (tx) => retainCard(tx, saved.cardId))).rejects.toThrow('Not written.')
  await expect(failing(deleted.owner, (tx) => destroyCard(tx, deleted.cardId))).rejects.toThrow(
    'Not written.',
  )
  await settle()
  expect(await reveal(deleted.owner, deleted.cardId)).not.toBeNull()
  clock.advance({ days: 9 })
  await settle()

  expect(await reveal(saved.owner, saved.cardId)).toBeNull()
})

test('a deleted card cannot be saved', async () => {
  const { owner, cardId } = await createUsedToken()
  clock.advance({ days: 9 })
  await settle()

  await expect(inTransaction(owner, (tx) => retainCard(tx, cardId))).rejects.toThrow(
    'This card was already deleted.',
  )
})

test('the vault finds and deletes a card whose token was never committed', async () => {
  const { workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  const crash = inTransaction(owner, async (tx) => {
    await storeCard(deps, tx, tx.newId('token'), { ...revealedCard })
    throw new Error('The process crashed.')
  })
  await expect(crash).rejects.toThrow('The process crashed.')
  expect(await countRows('vault.cards', owner)).toBe(1)

  clock.advance({ minutes: 74 })
  await settle()
  expect(await countRows('vault.cards', owner)).toBe(1)
  clock.advance({ minutes: 1 })
  await settle()

  expect(await countRows('vault.cards', owner)).toBe(0)
})

test('while a transaction uses a token, its card is not purged, even after the token has expired', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await createToken(workspace)
  const { promise: tokenUsed, resolve: signalUsed } = Promise.withResolvers<void>()
  const { promise: commitAllowed, resolve: allowCommit } = Promise.withResolvers<void>()
  const payment = inTransaction(owner, async (tx) => {
    await useToken(tx, id)
    signalUsed()
    await commitAllowed
  })
  await tokenUsed
  // The payment started while the token was valid; the purge finds it expired, and waits for the transaction.
  clock.advance({ hours: 2 })
  const purge = purgeVault(deps, { workspaceId: owner, id: owner })
  await waitForLock()
  allowCommit()
  await Promise.all([payment, purge])

  expect(await reveal(owner, uuidOf(id))).toMatchObject({ number: revealedCard.number })
})

/** Waits until a transaction waits for a lock on a token row. */
async function waitForLock(): Promise<void> {
  await expect
    .poll(() =>
      asOwner(databaseUrl, async (client) => {
        const { rows } = await client.query(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%card_tokens%'`,
        )
        return rows[0].waiting
      }),
    )
    .toBeGreaterThan(0)
}

test('one run of the worker purges more than one batch', async () => {
  const { workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  await asOwner(databaseUrl, (client) =>
    client.query(
      `insert into card_tokens (workspace_id, id, type, card, fingerprint, expires_at, due_at, created_at)
       select $1, gen_random_uuid(), 'card', '{}', 'x', '2026-11-14', '2026-11-14', '2026-11-14'
       from generate_series(1, 1200)`,
      [uuidOf(owner)],
    ),
  )

  await purgeVault(deps, { workspaceId: owner, id: owner })

  expect(await countRows('card_tokens', owner)).toBe(0)
})
