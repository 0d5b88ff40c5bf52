/** A connection as the user that logged in, who owns the tables: for migrations and chores, never for requests. */
import { Client } from 'pg'

export async function asOwner<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  // A lost connection fails its statements; unheard, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await body(client)
  } finally {
    await client.end()
  }
}
