/** Deletes counters of failed sign-ins that no rate limit uses any longer. */

type Statement = (text: string) => Promise<{ readonly rowCount: number | null }>

/** Twice the longest rate limit window; see `domains/access/sign-in/attempt-limits.ts`. */
const retention = '2 hours'
/** Few enough that no sign-in waits for the deletion. */
const batchSize = 5_000

export async function deleteOldSignInAttempts(statement: Statement): Promise<void> {
  const text = `
    delete from control.sign_in_tries where key in (
      select key from control.sign_in_tries where tried_at < now() - interval '${retention}'
      order by tried_at limit ${batchSize} for update skip locked)`
  while ((await statement(text)).rowCount === batchSize);
}
