/** A sign-in attempt: one at a time, with its error message. */
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { destinationAfterSignIn } from './destination.ts'
import { type Session, SessionApiError } from './session-api.ts'

export type Attempt = (signIn: () => Promise<Session>) => Promise<void>

export function useAttempt(): {
  readonly attempt: Attempt
  readonly isBusy: boolean
  readonly error: string | null
} {
  const redirect = useRedirectAfterSignIn()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt: Attempt = async (signIn) => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await signIn()
      redirect()
    } catch (cause) {
      setError(messageOf(cause))
    } finally {
      setBusy(false)
    }
  }
  return { attempt, isBusy, error }
}

export function AttemptError({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p role="alert" className="rounded-control bg-danger-soft p-3 text-danger">
      {text}
    </p>
  )
}

/** Loads a new page, so that no data of the previous user stays in memory. */
function useRedirectAfterSignIn(): () => void {
  const { to }: { to?: unknown } = useSearch({ strict: false })
  return () => location.assign(destinationAfterSignIn(to, location.origin))
}

function messageOf(error: unknown): string {
  if (!(error instanceof SessionApiError)) return 'The server cannot be reached. Try again.'
  return error.message
}
