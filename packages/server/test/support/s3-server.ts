// An S3 server for one test file. It verifies signatures. Tests also sign reads, because the server would accept
// anonymous ones.

import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { afterAll } from 'vitest'

type Server = {
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
  readonly httpServer: {
    on(event: 'request', listener: (request: { method: string; url: string }) => void): void
  }
}
type ServerClass = new (options: object) => Server
type Accounts = { readonly DUMMY_ACCOUNT: { createKeyPair(id: string, secret: string): void } }

const key = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'the-secret-of-the-example-key' }
const bucket = 'example-exports'
const region = 'eu-central-1'

export async function s3ServerForThisFile() {
  // The package has no types.
  const require = createRequire(import.meta.url)
  const S3rver = require('@20minutes/s3rver') as ServerClass
  const accounts = require('@20minutes/s3rver/lib/models/account.js') as Accounts
  accounts.DUMMY_ACCOUNT.createKeyPair(key.access_key_id, key.secret_access_key)
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-s3-'))
  const options = { address: '127.0.0.1', port: 0, silent: true, directory }
  const server = new S3rver({ ...options, configureBuckets: [{ name: bucket }] })
  const { port } = await server.run()
  const requests: string[] = []
  server.httpServer.on('request', ({ method, url }) => requests.push(`${method} ${url}`))
  afterAll(async () => {
    await server.close()
    await rm(directory, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  const client = new AwsClient({
    accessKeyId: key.access_key_id,
    secretAccessKey: key.secret_access_key,
    service: 's3',
    region,
  })
  return {
    /** The members of a destination with the correct key. */
    destination: { endpoint_url: url, region, bucket, ...key },
    /** Method and path of each request, the oldest first. */
    requests: requests as readonly string[],
    /** The content of an object; null if there is none. */
    async read(path: string): Promise<Buffer | null> {
      const response = await client.fetch(`${url}/${bucket}/${path}`)
      const content = Buffer.from(await response.arrayBuffer())
      return response.status === 200 ? content : null
    },
  }
}
