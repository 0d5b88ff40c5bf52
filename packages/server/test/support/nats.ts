// A nats-server for one test file. Only flows need one: every other test proves that Postgres suffices.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'

/** Called at the top of a file; the url is there as soon as tests and hooks run. */
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
      if (!nats) throw new Error('NATS starts in beforeAll: ask for its url in a test or a hook, not before')
      return nats.url
    },
  }
}
