// The SQLite database of the shop: orders, the latest state of each related object, handled events, and shipments.
// Everything that must not happen twice has a primary key here.

import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { CheckoutSession, Payment, Refund, Subscription } from '@switchyard/sdk'
import type { Item } from './catalogue.ts'

export type Order = {
  readonly id: string
  readonly shopper_id: string
  readonly item: Item
  /** The open checkout session: the number of the attempt, its id and its secret. */
  readonly attempt: number
  readonly session_id: string | null
  readonly session_secret: string | null
  readonly subscription_id: string | null
  /** The open session in which the shopper stores another card. */
  readonly card_session_id: string | null
  readonly card_session_secret: string | null
  readonly created_at: string
}

/** The objects that the shop stores, each as of its newest event. */
export type StoredObject = CheckoutSession | Payment | Refund | Subscription
/** An object with the sequence of its newest event. */
export type StoredVersion<Object extends StoredObject = StoredObject> = {
  readonly sequence: number
  readonly object: Object
}

const tables = `
  CREATE TABLE IF NOT EXISTS orders (
    id TEXT PRIMARY KEY, shopper_id TEXT NOT NULL, item TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 1,
    session_id TEXT, session_secret TEXT, subscription_id TEXT, created_at TEXT NOT NULL, card_session_id TEXT,
    card_session_secret TEXT);
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, received_at TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS objects (
    id TEXT PRIMARY KEY, order_id TEXT NOT NULL, kind TEXT NOT NULL, sequence INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS objects_of_order ON objects (order_id, kind, id);
  CREATE TABLE IF NOT EXISTS shipments (order_id TEXT PRIMARY KEY, code TEXT NOT NULL, sent_at TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);`

export type Store = ReturnType<typeof openStore>

export function openStore(file: string) {
  const db = new DatabaseSync(file, { timeout: 10_000 })
  // Committed data survives a power failure.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(tables)
  // Add columns that files of earlier versions do not have.
  const columns = db
    .prepare("SELECT name FROM pragma_table_info('orders')")
    .all()
    .map(({ name }) => name)
  for (const column of ['session_secret', 'card_session_id', 'card_session_secret'])
    if (!columns.includes(column)) db.exec(`ALTER TABLE orders ADD COLUMN ${column} TEXT`)
  const run = (sql: string, ...values: (string | number | null)[]) => db.prepare(sql).run(...values).changes
  const get = (sql: string, ...values: string[]) => db.prepare(sql).get(...values)
  const all = (sql: string, ...values: string[]) => db.prepare(sql).all(...values)

  return {
    /** All or nothing, even if the process is killed in the middle. */
    inOneTransaction(work: () => void): void {
      db.exec('BEGIN IMMEDIATE')
      try {
        work()
        db.exec('COMMIT')
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    ...ordersIn(run, get, all),
    /** Stores the id of the event. Returns whether the event was received for the first time. */
    isFirst: (eventId: string): boolean =>
      run('INSERT OR IGNORE INTO events VALUES (?, ?)', eventId, now()) === 1,
    /** False if the shop already has a newer state of the object: events can arrive out of order. */
    saveIfNewer: (orderId: string, { sequence, object }: StoredVersion): boolean =>
      run(
        `INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
         SET sequence = excluded.sequence, json = excluded.json WHERE excluded.sequence > objects.sequence`,
        object.id,
        orderId,
        object.object,
        sequence,
        JSON.stringify(object),
      ) === 1,
    /** The objects of an order, oldest first: ids sort by creation time. */
    objectsOf: <Kind extends StoredObject['object']>(orderId: string, kind: Kind) =>
      all(
        'SELECT sequence, json FROM objects WHERE order_id = ? AND kind = ? ORDER BY id',
        orderId,
        kind,
      ).map(({ sequence, json }) => ({ sequence, object: JSON.parse(String(json)) })) as StoredVersion<
        Extract<StoredObject, { object: Kind }>
      >[],
    orderOfObject: (id: string): string | null =>
      (get('SELECT order_id FROM objects WHERE id = ?', id)?.order_id as string | undefined) ?? null,
    /** The row represents the shipment. A real shop would send from this table, with the order as the idempotency key. */
    ship: (orderId: string): boolean =>
      run('INSERT OR IGNORE INTO shipments VALUES (?, ?, ?)', orderId, randomUUID(), now()) === 1,
    downloadCodeOf: (orderId: string): string | null =>
      (get('SELECT code FROM shipments WHERE order_id = ?', orderId)?.code as string | undefined) ?? null,
    setting: (name: string): string | null =>
      (get('SELECT value FROM settings WHERE name = ?', name)?.value as string | undefined) ?? null,
    saveSetting: (name: string, value: string): unknown =>
      run('INSERT OR REPLACE INTO settings VALUES (?, ?)', name, value),
  }
}

type Run = (sql: string, ...values: (string | number | null)[]) => unknown
type Get = (sql: string, ...values: string[]) => unknown
type All = (sql: string, ...values: string[]) => unknown[]

function ordersIn(run: Run, get: Get, all: All) {
  const findOrder = (id: string) => (get('SELECT * FROM orders WHERE id = ?', id) ?? null) as Order | null
  return {
    findOrder,
    /** The page generates the id, so that two clicks are one order. Null if the id belongs to another shopper. */
    placeOrder({ id, shopper_id, item }: Pick<Order, 'id' | 'shopper_id' | 'item'>): Order | null {
      run(
        'INSERT OR IGNORE INTO orders (id, shopper_id, item, created_at) VALUES (?, ?, ?, ?)',
        id,
        shopper_id,
        item,
        now(),
      )
      const order = findOrder(id)
      return order?.shopper_id === shopper_id && order.item === item ? order : null
    },
    changeOrder(id: string, changes: Partial<Order>): Order {
      const columns = Object.keys(changes).map((column) => `${column} = ?`)
      run(`UPDATE orders SET ${columns.join(', ')} WHERE id = ?`, ...Object.values(changes), id)
      return findOrder(id) as Order
    },
    ordersOf: (shopperId: string) =>
      all('SELECT * FROM orders WHERE shopper_id = ? ORDER BY created_at DESC', shopperId) as Order[],
    allOrders: () => all('SELECT * FROM orders ORDER BY created_at DESC LIMIT 100') as Order[],
  }
}

const now = () => new Date().toISOString()
