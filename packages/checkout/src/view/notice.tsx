import { useEffect, useRef } from 'preact/hooks'
import type { Notice } from '../state.ts'
import { translate } from '../translations.ts'

/** Explains why the payer cannot pay, and what to do. */
export function NoticePanel({ notice, isOnlyPanel }: { notice: Notice; isOnlyPanel: boolean }) {
  // Without a summary this is the main heading of the page.
  const Title = isOnlyPanel ? 'h1' : 'h2'
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [notice])
  return (
    <div class="panel" role="status">
      <Title ref={title} tabIndex={-1} class="section">
        {translate(notice)}
      </Title>
      <p>{translate(`${notice}_text`)}</p>
    </div>
  )
}
