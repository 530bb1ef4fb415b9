import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import ts from 'typescript-eslint'

const htmlTooltip = {
  selector: "Property[key.name='tooltip'] Property[key.name='formatter'] > :function",
  message: 'A tooltip function returns raw HTML: use a string formatter or renderMode richText.',
}

const message = 'Shown text belongs in a catalogue (<feature>.en.json).'
const sentence = 'Literal[value=/^[A-Z“][^:/.]* [a-z’]{2,}[^:/]*$/]'
const template = 'TemplateElement[value.raw=/[A-Za-z]{2,} [a-z]{2,}/]'

export default ts.config(
  { ignores: ['out/', 'dist/', 'node_modules/', 'test-results/', 'playwright-report/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    rules: {
      'no-undef': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'vue/no-v-html': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='findCredentials']",
          message: 'keytar.findCredentials crashes the process on a locked keyring.',
        },
        {
          selector: "ImportDeclaration[source.value='zod'] ImportSpecifier[imported.name='z']",
          message: "Use `import * as z from 'zod'`: the named import defeats tree shaking.",
        },
      ],
    },
  },
  {
    files: ['electron/**'],
    ignores: ['electron/lib/http.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:http', message: 'Use lib/http.ts: it starts faster.', allowTypeImports: true },
          ],
        },
      ],
    },
  },
  {
    files: ['renderer/src/**'],
    ignores: ['renderer/src/shared/theme/**'],
    rules: {
      // The text of a thrown error is for the log.
      'no-restricted-syntax': [
        'error',
        htmlTooltip,
        { selector: `:not(NewExpression) > ${sentence}`, message },
        { selector: template, message },
      ],
      'vue/no-restricted-syntax': [
        'error',
        { selector: `VExpressionContainer ${sentence}`, message },
        { selector: `VExpressionContainer ${template}`, message },
      ],
      'vue/no-bare-strings-in-template': [
        'error',
        {
          allowlist: ['·', '/', '→', '–', '—', '(', ')', ',', ':', '×', '<', '>'],
          attributes: {
            '/.+/': [
              'title',
              'aria-label',
              'aria-valuetext',
              'alt',
              'label',
              'hint',
              'text',
              'about',
              'placeholder',
              'confirm-label',
              'cancel-label',
              'retry-label',
              'undo-label',
              'description',
              'what',
            ],
          },
        },
      ],
    },
  },
  { files: ['test/**', 'electron/hosts/**', 'electron/sandbox/main.ts'], rules: { 'no-console': 'off' } },
  prettier,
)
