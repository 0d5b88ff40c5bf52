/** Signs in with a password and, if set up, a code; with a passkey; or with a one-time link. */
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { type Attempt, AttemptError, useAttempt } from './attempt.tsx'
import { OutsideFrame } from './frame.tsx'
import { signInWithPasskey } from './passkeys.ts'
import { fetchSession, type Session, SessionApiError } from './session-api.ts'

export function SignIn() {
  const { attempt, isBusy, error } = useAttempt()
  useSignInLink(attempt)
  return (
    <OutsideFrame title="Sign in">
      <PasswordForm isBusy={isBusy} attempt={attempt} />
      <Button onClick={() => void attempt(signInWithPasskey)} isBusy={isBusy}>
        Use a passkey
      </Button>
      <AttemptError text={error} />
      <p className="text-compact text-ink2">
        No account yet? An admin of your organization can invite you. To create the first admin, the operator
        of this server runs <code className="font-mono">npm run setup</code>.
      </p>
    </OutsideFrame>
  )
}

function PasswordForm({ isBusy, attempt }: { isBusy: boolean; attempt: Attempt }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [showsCode, setShowsCode] = useState(false)
  const signIn = async () => {
    const body = { email, password, ...(code === '' ? {} : { code: code.replaceAll(' ', '') }) }
    try {
      return await fetchSession<Session>('POST', '/session', body)
    } catch (error) {
      // The server reports a missing code only to known browsers, so the field is shown after any 401.
      if (error instanceof SessionApiError && error.status === 401) setShowsCode(true)
      throw error
    }
  }
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(signIn)
      }}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        autoFocus
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      {showsCode && (
        <TextField
          label="Code"
          hint="If you use an authenticator app: six digits, or a recovery code."
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
        />
      )}
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  )
}

/** The secret of a link is in the URL fragment, so that no server or log receives it. It is used immediately. */
function useSignInLink(attempt: Attempt): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once, when the page is opened.
  useEffect(() => {
    const secret = /^#link=(.+)$/.exec(location.hash)?.[1]
    if (secret === undefined) return
    history.replaceState(null, '', location.pathname)
    void attempt(() => fetchSession<Session>('POST', '/session/link', { secret }))
  }, [])
}
