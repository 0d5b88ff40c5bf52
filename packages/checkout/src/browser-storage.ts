/**
 * Stores the session of each link and the secret of each session in the browser, so that a reopened tab, a second tab and
 * the return from the bank use the same session. Cards are never stored. Without browser storage the page still works
 * while it stays open.
 *
 * Sessions are in IndexedDB, because other tabs see a write immediately. localStorage is synchronized between tabs with
 * a delay, during which a second tab could create a second session.
 */
import type { SessionKey } from './api.ts'

const store = 'sessions'
const memory = new Map<string, string>()
/**
 * Some browsers never open the database. The timeout is long, so that tabs of a slow browser still share a
 * session.
 */
const openTimeoutMs = 5_000

export async function saveSession(key: SessionKey, slug: string | null): Promise<void> {
  await storeItem(`session:${key.id}`, key.client_secret)
  if (slug !== null) await storeItem(`link:${slug}`, key.id)
}

export async function loadSession(id: string): Promise<SessionKey | null> {
  const secret = await loadItem(`session:${id}`)
  return secret === null ? null : { id, client_secret: secret }
}

export async function loadSessionOfLink(slug: string): Promise<SessionKey | null> {
  const id = await loadItem(`link:${slug}`)
  return id === null ? null : loadSession(id)
}

export async function deleteSessionOfLink(slug: string): Promise<void> {
  memory.delete(`link:${slug}`)
  await runTransaction('readwrite', (sessions) => sessions.delete(`link:${slug}`))
}

/** Runs `body` in one tab at a time, if the browser supports locks. */
export function withExclusiveLock<Result>(name: string, body: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return body()
  return navigator.locks.request(name, body)
}

async function storeItem(name: string, value: string): Promise<void> {
  memory.set(name, value)
  await runTransaction('readwrite', (sessions) => sessions.put(value, name))
}

async function loadItem(name: string): Promise<string | null> {
  return (
    (await runTransaction<string>('readonly', (sessions) => sessions.get(name))) ?? memory.get(name) ?? null
  )
}

/** Resolves when the change is visible to all tabs; with undefined if the browser stores nothing. */
async function runTransaction<Result>(
  mode: IDBTransactionMode,
  operation: (sessions: IDBObjectStore) => IDBRequest,
): Promise<Result | undefined> {
  databasePromise ??= openDatabase().catch(() => null)
  const database = await databasePromise
  if (database === null) return undefined
  return new Promise<Result | undefined>((resolve) => {
    const transaction = database.transaction(store, mode)
    const request = operation(transaction.objectStore(store))
    transaction.oncomplete = () => resolve(request.result)
    transaction.onabort = () => resolve(undefined)
  }).catch(() => undefined)
}

let databasePromise: Promise<IDBDatabase | null> | undefined

function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    const request = indexedDB.open('checkout')
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(null)
    setTimeout(() => resolve(null), openTimeoutMs)
  })
}

/** Stores the input except the card, for a payer who returns from the bank in this tab to try again. */
export function saveInputValues(sessionId: string, values: object): void {
  tryStorage(() => sessionStorage.setItem(sessionId, JSON.stringify(values)))
}

export function loadInputValues(sessionId: string): Record<string, string> {
  return JSON.parse(tryStorage(() => sessionStorage.getItem(sessionId)) ?? '{}')
}

export function deleteInputValues(sessionId: string): void {
  tryStorage(() => sessionStorage.removeItem(sessionId))
}

/** Browsers throw if storage is disabled or full. */
function tryStorage<Result>(body: () => Result): Result | undefined {
  try {
    return body()
  } catch {
    return undefined
  }
}
