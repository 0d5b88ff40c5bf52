/**
 * What this browser remembers: which session belongs to a link, and the secret that proves a session. So a closed
 * tab, a second one and the way back from the bank find the same session. A card is never kept. A browser that
 * keeps nothing works too, as long as the page stays open.
 *
 * Sessions lie in IndexedDB, since what one tab has written there the next one reads. Of localStorage tabs have
 * copies that follow a little later, and in that moment a second tab would make a second session.
 */
import type { Key } from './doors.ts'

const store = 'sessions'
const here = new Map<string, string>()
/** Some browsers forget to answer at all. A slow one must not be taken for one of those: tabs would not know each other. */
const openTimeoutMs = 5_000

export async function rememberSession(key: Key, slug: string | null): Promise<void> {
  await keep(`session:${key.id}`, key.client_secret)
  if (slug !== null) await keep(`link:${slug}`, key.id)
}

export async function recallSession(id: string): Promise<Key | null> {
  const secret = await recall(`session:${id}`)
  return secret === null ? null : { id, client_secret: secret }
}

export async function recallSessionOf(slug: string): Promise<Key | null> {
  const id = await recall(`link:${slug}`)
  return id === null ? null : recallSession(id)
}

export async function forgetSessionOf(slug: string): Promise<void> {
  here.delete(`link:${slug}`)
  await ask('readwrite', (sessions) => sessions.delete(`link:${slug}`))
}

/** One tab of this browser at a time does it, where the browser can promise that. */
export function alone<Result>(name: string, body: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return body()
  return navigator.locks.request(name, body)
}

async function keep(name: string, value: string): Promise<void> {
  here.set(name, value)
  await ask('readwrite', (sessions) => sessions.put(value, name))
}

async function recall(name: string): Promise<string | null> {
  return (await ask<string>('readonly', (sessions) => sessions.get(name))) ?? here.get(name) ?? null
}

/** Settles when it is done for all tabs; with nothing if this browser keeps nothing. */
async function ask<Result>(
  mode: IDBTransactionMode,
  question: (sessions: IDBObjectStore) => IDBRequest,
): Promise<Result | undefined> {
  opening ??= openDatabase().catch(() => null)
  const database = await opening
  if (database === null) return undefined
  return new Promise<Result | undefined>((resolve) => {
    const transaction = database.transaction(store, mode)
    const request = question(transaction.objectStore(store))
    transaction.oncomplete = () => resolve(request.result)
    transaction.onabort = () => resolve(undefined)
  }).catch(() => undefined)
}

let opening: Promise<IDBDatabase | null> | undefined

function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    const request = indexedDB.open('checkout')
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(null)
    setTimeout(() => resolve(null), openTimeoutMs)
  })
}

/** What was typed besides the card, for a payer who comes back from the bank in this tab to try again. */
export function keepTyped(sessionId: string, typed: object): void {
  attempt(() => sessionStorage.setItem(sessionId, JSON.stringify(typed)))
}

export function recallTyped(sessionId: string): Record<string, string> {
  return JSON.parse(attempt(() => sessionStorage.getItem(sessionId)) ?? '{}')
}

export function forgetTyped(sessionId: string): void {
  attempt(() => sessionStorage.removeItem(sessionId))
}

/** Browsers refuse storage by throwing: when it is switched off, or full. */
function attempt<Result>(body: () => Result): Result | undefined {
  try {
    return body()
  } catch {
    return undefined
  }
}
