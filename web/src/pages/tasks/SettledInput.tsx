import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

const TYPING_PAUSE = 300; // milliseconds

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  value: string;
  onSettled: (text: string) => void;
}

/** A text that counts once the typing rests, or at once with Enter. */
export function SettledInput({ value, onSettled, ...rest }: Props) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = (typed: string) => {
    if (typed.trim() === told.current) return;
    told.current = typed.trim();
    onSettled(told.current);
  };
  const tellSoon = useDebouncedCallback(tell, TYPING_PAUSE);
  useEffect(() => {
    if (value === told.current) return; // it is what was typed here
    told.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      {...rest}
      maxLength={255}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        tellSoon(currentTarget.value);
      }}
      onKeyDown={(event) => event.key === "Enter" && tell(event.currentTarget.value)}
    />
  );
}
