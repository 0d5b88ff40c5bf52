import { useEffect, useRef } from 'preact/hooks'
import type { Notice } from '../state.ts'
import { say } from '../words.ts'

/** Why nothing can be paid here, and what to do about it. */
export function NoticePanel({ notice, isAlone }: { notice: Notice; isAlone: boolean }) {
  // Where nothing else is known, this is what the page is about.
  const Title = isAlone ? 'h1' : 'h2'
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [notice])
  return (
    <div class="panel" role="status">
      <Title ref={title} tabIndex={-1} class="section">
        {say(notice)}
      </Title>
      <p>{say(`${notice}_text`)}</p>
    </div>
  )
}
