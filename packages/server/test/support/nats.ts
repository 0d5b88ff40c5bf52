// A NATS server for one test file. Only flows need one: all other tests run with PostgreSQL alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'

/** Call this at the top of a file. The URL is available in tests and hooks. */
export function natsForThisFile(): { readonly url: string } {
  let nats: Nats | undefined
  let storeDir: string

  beforeAll(async () => {
    storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
    nats = await startNats({ storeDir })
  })

  afterAll(async () => {
    await nats?.stop()
    rmSync(storeDir, { recursive: true, force: true })
  })

  return {
    get url() {
      if (!nats) throw new Error('NATS starts in beforeAll. Read its url only in a test or a hook')
      return nats.url
    },
  }
}
