import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const folder = resolve('.github/workflows')

for (const name of readdirSync(folder)) {
  const text = readFileSync(join(folder, name), 'utf8')

  test(`${name} pins every action to a commit and names its version`, () => {
    const uses = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action!)
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    )
  })

  test(`${name} has read-only permissions, keeps no token and runs no pull request text`, () => {
    expect(text.match(/^permissions:\n {2}contents: read$/gm)).toHaveLength(1)
    expect(text).not.toMatch(/write-all|: write\b|pull_request_target|secrets\./)
    const checkouts = text.match(/uses: actions\/checkout@.*\n.*\n.*persist-credentials: false/g)
    expect(checkouts).toHaveLength(text.match(/uses: actions\/checkout@/g)!.length)
    expect(text).not.toMatch(/\$\{\{ *github\.(event|head_ref)/)
  })
}
