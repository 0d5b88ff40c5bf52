// Slots on real Postgres: what one payment after another and many at once may take of a card.

import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { systemCaller } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import type { Found } from '../../providers/contract.ts'
import { reserveSlot, type Slot, settleSlot } from './service.ts'

const switchyard = await switchyardForThisFile()
const { deps, clock } = switchyard

const visa = { brand: 'visa', country: 'US', bin: '400000', last4: '0000' }
const mastercard = { ...visa, brand: 'mastercard' }
const declinedWith = (networkCode: string, adviceCode?: string): Found => ({
  is: 'declined',
  decline: { code: 'generic_decline', networkCode, ...(adviceCode === undefined ? {} : { adviceCode }) },
})
const approved: Found = { is: 'succeeded', ref: 'r', money: { amount: 100n, currency: 'eur' } }

async function aWorkspace(mode: 'live' | 'test' = 'live') {
  const { workspaceId } = await switchyard.newWorkspace(mode)
  const owner = workspaceId as Id<'workspace'>
  const inUnit = <T>(body: (tx: Tx) => Promise<T>) =>
    transact(deps, systemCaller({ workspaceId: owner, id: owner }), body)
  const slotIn = (tx: Tx, members: Partial<Slot>): Slot => ({
    ...{
      attemptId: tx.newId('payment_attempt'),
      paymentId: tx.newId('payment'),
      cardKey: 'a card',
      card: visa,
    },
    ...{ amount: 100n, currency: 'eur', initiator: 'customer' },
    ...members,
  })
  const take = (members: Partial<Slot> = {}) =>
    inUnit(async (tx) => {
      const slot = slotIn(tx, members)
      return { slot, verdict: await reserveSlot(tx, slot) }
    })
  const settle = (slot: Slot, learned: Parameters<typeof settleSlot>[2]) =>
    inUnit((tx) => settleSlot(tx, slot, learned))
  const takeAndSettle = async (learned: Found, members: Partial<Slot> = {}) => {
    const { slot, verdict } = await take(members)
    if (verdict.ok) await settle(slot, learned)
  }
  return { inUnit, take, settle, takeAndSettle }
}

async function takeMany(count: number, take: () => Promise<{ verdict: { ok: boolean } }>): Promise<number> {
  const taken = await Promise.all(Array.from({ length: count }, take))
  return taken.filter(({ verdict }) => verdict.ok).length
}

test('of fifty at once on one card no more are let through than the networks allow', async () => {
  const { take } = await aWorkspace()
  expect(await takeMany(50, () => take())).toBe(15)
  // Of another amount, and with another card, nothing was taken.
  expect(await takeMany(20, () => take({ amount: 200n }))).toBe(15)
  expect(await takeMany(20, () => take({ cardKey: 'another card' }))).toBe(15)
  expect(await takeMany(50, () => take({ cardKey: 'a mastercard', card: mastercard }))).toBe(10)
})

test('merchants may do less than payers, and what is refused names the time', async () => {
  const { take } = await aWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  expect(await takeMany(8, () => take(byMerchant))).toBe(4)
  const until = new Date(Date.parse('2026-11-14T12:00:00.000Z') + 86_400_000)
  expect((await take(byMerchant)).verdict).toEqual({ ok: false, rule: 'ours_day', until })
  expect((await take()).verdict).toEqual({ ok: true })
})

test('what was refused, or never reached the network, is not counted', async () => {
  const { take, settle } = await aWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  const fault = { code: 'connect_failed', message: 'No.' }
  for (let nth = 0; nth < 6; nth += 1) {
    const { slot, verdict } = await take(byMerchant)
    expect(verdict.ok).toBe(true)
    await settle(slot, nth % 2 === 0 ? { is: 'not_sent', fault } : { is: 'rejected', fault })
  }
  expect(await takeMany(8, () => take(byMerchant))).toBe(4)
})

test('an approval ends the count, and a decline that is said twice counts once', async () => {
  const { take, takeAndSettle, settle } = await aWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  const { slot } = await take(byMerchant)
  for (let nth = 0; nth < 3; nth += 1) await settle(slot, declinedWith('51'))
  expect(await takeMany(8, () => take(byMerchant))).toBe(3)

  const other = { ...byMerchant, amount: 7n }
  for (let nth = 0; nth < 3; nth += 1) await takeAndSettle(declinedWith('51'), other)
  clock.advance({ seconds: 1 })
  await takeAndSettle(approved, other)
  expect(await takeMany(8, () => take(other))).toBe(4)
})

test('after a word of the network that ends it the card is barred, for ever or for a month', async () => {
  const workspace = await aWorkspace()
  await workspace.takeAndSettle(declinedWith('43'))
  const barred = { ok: false, rule: 'visa_category_1', until: null }
  expect((await workspace.take({ amount: 5n })).verdict).toEqual(barred)

  const card = { card: mastercard, cardKey: 'a mastercard' }
  await workspace.takeAndSettle(declinedWith('05', '03'), card)
  expect((await workspace.take({ ...card, amount: 5n })).verdict).toMatchObject({ rule: 'mastercard_never' })
  clock.advance({ days: 30 })
  expect((await workspace.take({ ...card, amount: 5n })).verdict).toEqual({ ok: true })
  expect((await workspace.take()).verdict).toEqual(barred)
})

test('a later and shorter bar does not shorten an earlier one', async () => {
  const workspace = await aWorkspace()
  const first = await workspace.take()
  const second = await workspace.take({ card: mastercard })
  await workspace.settle(first.slot, declinedWith('43'))
  await workspace.settle(second.slot, declinedWith('05', '21'))
  expect((await workspace.take()).verdict).toMatchObject({ rule: 'visa_category_1', until: null })
})

test('payers of the test environment have no budget, and neither has what cannot be known again', async () => {
  const { take } = await aWorkspace('test')
  expect(await takeMany(40, () => take())).toBe(40)
  expect(await takeMany(40, () => take({ initiator: 'merchant' }))).toBe(4)
  const live = await aWorkspace()
  expect(await takeMany(40, () => live.take({ cardKey: null }))).toBe(40)
})

test('two cards never wait for each other', async () => {
  const { inUnit, take } = await aWorkspace()
  const outside = AsyncLocalStorage.snapshot()
  await inUnit(async (tx) => {
    const slot = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment'), cardKey: 'a card' }
    await reserveSlot(tx, { ...slot, card: visa, amount: 100n, currency: 'eur', initiator: 'customer' })
    // While this unit holds its card, the other one is taken and committed.
    const other = await outside(() => take({ cardKey: 'another card' }))
    expect(other.verdict).toEqual({ ok: true })
  })
})
