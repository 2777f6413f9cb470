import { Component } from 'react';

/**
 * Shows a text as it was written if its children cannot be rendered, so that the failure of one answer does not break the page.
 * @augments {Component<{ text: string, children: import('react').ReactNode }, { failed: string | null }>}
 */
export class OrAsWritten extends Component {
  /** @type {{ failed: string | null }} the text that could not be rendered; a longer text is tried again */
  state = { failed: null };

  /** @param {unknown} error */
  componentDidCatch(error) {
    console.error('An answer could not be rendered', error);
    this.setState({ failed: this.props.text });
  }

  render() {
    const { text, children } = this.props;
    return this.state.failed === text ? <AsWritten text={text} /> : children;
  }
}

/** @param {{ text: string }} props */
export function AsWritten({ text }) {
  return <p className="text">{text}</p>;
}
