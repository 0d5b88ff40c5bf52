/** Accepting an invitation: its secret stands behind # in the link, and works once. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { Loaded } from '../ui/states.tsx'
import { AttemptError, useAttempt } from './attempt.tsx'
import { knock, type Role, type Session } from './doors.ts'
import { OutsideFrame } from './frame.tsx'

type Invitation = {
  readonly email: string
  readonly organization: string
  readonly role: Role
  readonly expires_at: string
}

export function Join() {
  const [secret] = useState(takeSecret)
  const invitation = useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => knock<Invitation>('POST', '/invitations/look', { secret }),
    // Once: a look that is repeated while somebody types their name would take the form away.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <OutsideFrame title="Join your team">
      <Loaded of={invitation}>{(found) => <Form invitation={found} secret={secret} />}</Loaded>
    </OutsideFrame>
  )
}

/** It stays in memory alone: neither the address nor the history of the browser keeps it. */
function takeSecret(): string {
  const secret = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return secret
}

function Form({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const { attempt, isBusy, error } = useAttempt()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = () => knock<Session>('POST', '/invitations/accept', { secret, name, password })
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(join)
      }}
    >
      <p>
        {invitation.organization} invites <strong>{invitation.email}</strong> as {invitation.role}.
      </p>
      <TextField label="Your name" autoComplete="name" value={name} onChange={setName} autoFocus />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters."
        value={password}
        onChange={setPassword}
      />
      <AttemptError text={error} />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {isBusy ? 'Joining…' : 'Join'}
      </Button>
    </form>
  )
}
