/** Codes in the cells of tables, where there is little room: a long one is broken between its words, not inside one. */

const betweenSteps = /(?<=[\w}]\/)(?=[\w{])/g
const betweenWords = /(?<=\w_)(?=\w)/g

/** Pure. The HTML of a part of a page. */
export function breakCodes(html: string): string {
  return html.replaceAll(/<td[^>]*>.*?<\/td>/gs, (cell) =>
    cell.replaceAll(/<code>(.*?)<\/code>/g, (_, code: string) => {
      const phrase = code.includes(' ') ? ' class="phrase"' : ''
      const between = code.includes('/') ? betweenSteps : betweenWords
      return `<code${phrase}>${code.replaceAll(between, '<wbr>')}</code>`
    }),
  )
}
