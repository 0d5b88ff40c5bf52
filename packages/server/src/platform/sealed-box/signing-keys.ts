/**
 * Signing keys of payment links, checkout session secrets, session tokens and device cookies.
 * All are derived with HKDF from one random root key, which is stored encrypted with a master key and
 * survives the rotation of master keys. Links that were signed with keys derived from the master keys
 * themselves continue to work: those derived keys are stored next to the root key before the master key is
 * removed.
 */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Databases } from '../db/databases.ts'
import {
  insertSigningKey,
  listSigningKeys,
  type StoredSigningKey,
  updateSigningKey,
} from '../db/signing-keys.ts'
import type { Log } from '../log.ts'
import { type Repetition, repeat } from '../repeat.ts'
import { keyBytes } from './cipher.ts'
import { createKeyring, type Keyring, type MasterKey } from './keyring.ts'

/** These strings are part of the key derivation: a different string derives a different key. */
const purposes = {
  linkKeys: 'links of payers',
  sessionKeys: 'tokens of sessions',
  deviceKeys: 'cookies of devices',
} as const
type Purpose = keyof typeof purposes

const rootName = 'root'

export type SigningKeyring = {
  /** The first key signs; the others still verify. The lists change when the keys are loaded. */
  readonly keys: { readonly [P in Purpose]: Uint8Array[] }
  /**
   * Creates missing keys in the database and reads all keys. Returns a message for each key that could not be
   * decrypted.
   */
  load(databases: Databases): Promise<readonly string[]>
  /**
   * Loads the keys now if the database is available, and again every minute. Until then keys derived from the
   * master keys are used.
   */
  keepLoaded(databases: Databases, log: Log): Promise<Repetition>
}

export function createSigningKeys(masterKeys: readonly MasterKey[]): SigningKeyring {
  const keyring = createKeyring(masterKeys)
  const derived = (purpose: Purpose) => derivedKeys(masterKeys, purposes[purpose])
  const keys = {
    linkKeys: derived('linkKeys'),
    sessionKeys: derived('sessionKeys'),
    deviceKeys: derived('deviceKeys'),
  }

  const load: SigningKeyring['load'] = async ({ control }) => {
    const stored = await control.as('switchyard_control', async (db) => {
      for (const key of derived('linkKeys'))
        await insertSigningKey(db, keyring.sealSigningKey(nameOf(key), key))
      await insertSigningKey(db, keyring.sealSigningKey(rootName, randomBytes(keyBytes)))
      return listSigningKeys(db)
    })
    const decrypted = stored.map((key) => ({ name: key.name, result: keyring.openSigningKey(key) }))
    const faults = decrypted.flatMap(({ result }) => (result.isDecrypted ? [] : [result.fault]))
    const bytesOf = (isIncluded: (name: string) => boolean) =>
      decrypted.flatMap(({ name, result }) => (result.isDecrypted && isIncluded(name) ? [result.bytes] : []))
    const roots = bytesOf((name) => name === rootName)
    const derivedBefore = bytesOf((name) => name !== rootName)
    for (const purpose of Object.keys(purposes) as Purpose[]) {
      const fromRoot = roots.map((root) => hkdf(root, purposes[purpose]))
      const older = purpose === 'linkKeys' ? derivedBefore : derived(purpose)
      keys[purpose].splice(0, keys[purpose].length, ...fromRoot, ...older)
    }
    return faults
  }

  return {
    keys,
    load,
    async keepLoaded(databases, log) {
      const run = async () => {
        for (const fault of await load(databases)) log.error(fault)
      }
      const onError = (error: unknown) => log.error('could not load the signing keys', { error })
      await run().catch(onError)
      return repeat({ everyMs: 60_000, run, onError })
    },
  }
}

/**
 * Encrypts all stored keys with the first master key. Returns a message for each key that could not be
 * decrypted.
 */
export async function rotateSigningKeys(
  { control }: Databases,
  keyring: Keyring,
): Promise<readonly string[]> {
  return control.as('switchyard_control', async (db) => {
    const faults: string[] = []
    for (const key of await listSigningKeys(db)) {
      if (key.masterKeyId === keyring.firstId) continue
      const result = keyring.openSigningKey(key)
      if (result.isDecrypted) await updateSigningKey(db, key, keyring.sealSigningKey(key.name, result.bytes))
      else faults.push(result.fault)
    }
    return faults
  })
}

/** Keys as derived before there was a root key: one for each master key, in the same order. */
export function derivedKeys(masterKeys: readonly MasterKey[], purpose: string): Buffer[] {
  return masterKeys.map(({ key }) => createHmac('sha256', key).update(purpose).digest())
}

function hkdf(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', purpose, keyBytes))
}

/** The same key has the same name in every process, so it is stored once. */
function nameOf(key: Buffer): StoredSigningKey['name'] {
  return `links ${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}
